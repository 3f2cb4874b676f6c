// All runs of a study as a table, sorted by any column and filtered by words. A click chooses a run.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { brief, cellOf, chosenRuns, FINISHED, type StudyResults } from "./results";
import { controls } from "../panels/styles";

const MOST = 300; // rows that are shown

@customElement("kumi-study-table")
export class StudyTable extends LitElement {
  @property({ attribute: false }) results!: StudyResults;
  @property({ attribute: false }) chosen: number | null = null;
  @state() private words = "";
  @state() private column = "row";
  @state() private isDown = false;

  static override styles = [controls, css`
    :host { display: block; }
    table { border-collapse: collapse; width: 100%; } th, td { text-align: right; padding: 2px 8px; white-space: nowrap; }
    th { position: sticky; top: 0; background: var(--panel); border-bottom: 1px solid var(--line); }
    th button { padding: 0 2px; min-height: 28px; font-weight: 600; }
    tbody tr { cursor: pointer; } tbody tr:hover, tr[aria-selected="true"] { background: var(--hover); }
    tr[aria-selected="true"] td:first-child { color: var(--accent); font-weight: 600; } .failed td { color: var(--contact); }
    .room { max-height: 60vh; overflow: auto; border: 1px solid var(--line); border-radius: 8px; margin-top: 6px; }
    td.words { text-align: left; max-width: 40ch; overflow: hidden; text-overflow: ellipsis; }
  `];

  protected override render(): TemplateResult {
    const columns = ["row", ...this.results.varied, "seed", ...Object.keys(this.results.metrics), "outcome"];
    const runs = chosenRuns(this.results, this.words, this.column, this.isDown);
    return html`
      <input type="search" aria-label="Filter runs" placeholder="Filter: words of a run, such as seed or failed" size="40"
        @input=${(event: Event) => { this.words = (event.target as HTMLInputElement).value; }} />
      <span class="quiet" role="status">${runs.length} of ${this.results.runs.length} runs${runs.length > MOST ? `, the first ${MOST} shown` : ""}</span>
      <div class="room"><table aria-label="Runs">
        <thead><tr>${columns.map((name) => html`<th scope="col" aria-sort=${name !== this.column ? "none" : this.isDown ? "descending" : "ascending"}
          title=${this.about(name)}><button @click=${() => { this.sort(name); }}>${name}${name === this.column ? (this.isDown ? " ▾" : " ▴") : nothing}</button></th>`)}</tr></thead>
        <tbody class="number">${runs.slice(0, MOST).map((run) => html`<tr tabindex="0" aria-selected=${run.row === this.chosen}
          class=${run.outcome === FINISHED ? "" : "failed"} @click=${() => { this.choose(run.row); }}
          @keydown=${(event: KeyboardEvent) => { if (event.key === "Enter") this.choose(run.row); }}>
          ${columns.map((name) => html`<td class=${name === "outcome" ? "words" : ""}>${brief(cellOf(run, name))}</td>`)}</tr>`)}</tbody>
      </table></div>`;
  }

  private about(column: string): string {
    const metric = this.results.metrics[column];
    return metric === undefined ? "" : metric.about + (metric.unit === "" ? "" : `, in ${metric.unit}`);
  }

  private sort(column: string): void {
    this.isDown = this.column === column && !this.isDown;
    this.column = column;
  }

  private choose(row: number): void {
    this.dispatchEvent(new CustomEvent<number>("choose", { detail: row }));
  }
}
