// The board of a contest: who has how many points.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { bytesOf } from "./records";
import type { Board, TeamStanding } from "../types";
import { said, type StationSession } from "./session";
import { controls } from "../panels/styles";


// Where a team's points come from.
function why({ found, reported, pictures, wrong, contacts, failed }: TeamStanding): string {
  const ended = failed === 0 ? "" : `, ${failed} ended by their own fault`;
  return `${found} found, ${reported} reported, ${pictures} with a picture, ${wrong} wrong, ${contacts} contacts${ended}`;
}

@customElement("kumi-board")
export class ScoreBoard extends LitElement {
  @property({ attribute: false }) station!: StationSession;
  @property({ type: Number }) tick = 0;
  @state() private names: string[] = [];
  @state() private board: Board | null = null;
  @state() private why = "";
  private asked = -1;

  static override styles = [controls, css`
    :host { display: block; } table { border-collapse: collapse; width: 100%; margin-top: 8px; } p { margin: 4px 0; }
    th, td { text-align: left; padding: 6px; vertical-align: top; } th { font-weight: 400; color: var(--quiet); font-size: 12px; }
    td:nth-child(2) { overflow-wrap: anywhere; } td small { display: block; } tbody tr { border-top: 1px solid var(--line); }
    .points { font-weight: 600; } th:last-child, .points { text-align: right; }
  `];

  protected override updated(): void {
    if (this.asked === this.station.boards) return;
    this.asked = this.station.boards;
    void this.look();
  }

  protected override render(): TemplateResult {
    const { board } = this;
    return html`${this.why === "" ? nothing : html`<p role="alert">${this.why}</p>`}
      ${this.names.length === 0 ? html`<p class="quiet">No contest was played yet.</p>` : html`<select aria-label="Contest"
        @change=${(event: Event) => void this.show((event.target as HTMLSelectElement).value)}>
        ${this.names.map((name) => html`<option ?selected=${name === board?.contest}>${name}</option>`)}</select>`}
      ${board === null ? nothing : html`<table class="number" aria-label="Scoreboard"><thead><tr><th>place</th><th>team</th><th>points</th></tr></thead>
        <tbody>${board.standings.map((one) => html`<tr><td>${one.place}</td><td>${one.team}<small class="quiet">${why(one)}</small></td>
        <td class="points">${one.points}</td></tr>`)}</tbody></table>
        <p class="quiet">${board.matches.length} of ${board.planned} matches were played.</p>`}`;
  }

  private async look(): Promise<void> {
    try {
      this.names = (await this.station.api.call("list_boards", {})).names;
      const [first] = this.names;
      if (first !== undefined) await this.show(first);
    } catch (error) {
      this.why = said(error);
    }
  }

  private async show(name: string): Promise<void> {
    const { content } = await this.station.api.call("get_board", { name });
    this.board = JSON.parse(new TextDecoder().decode(bytesOf(content))) as Board;
    this.why = "";
  }
}
