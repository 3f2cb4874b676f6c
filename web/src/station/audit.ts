// What was asked of the station: by whom, when, about what, and what came of it. The latest is first; words choose among all of it.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { AuditEntry } from "../types";
import { said, type StationSession } from "./session";
import { controls } from "../panels/styles";

const AT_ONCE = 100; // entries
const SOONEST = 1000; // milliseconds between two looks

@customElement("kumi-audit")
export class AuditPart extends LitElement {
  @property({ attribute: false }) station!: StationSession;
  @property({ type: Number }) tick = 0;
  @state() private entries: AuditEntry[] = [];
  @state() private hasMore = false;
  @state() private why = "";
  private words = "";
  private asked = -1; // how much had happened then
  private looked = -Infinity;
  private looks = 0;

  static override styles = [controls, css`
    :host { display: block; } input { width: 100%; box-sizing: border-box; } p { margin: 6px 0; } .failed { color: var(--contact); }
    ol { list-style: none; margin: 8px 0; padding: 0; } li { padding: 4px 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
    time { color: var(--quiet); margin-right: 4px; } small { display: block; }
  `];

  protected override updated(): void {
    if (this.asked === this.station.events || performance.now() - this.looked < SOONEST) return;
    void this.look();
  }

  protected override render(): TemplateResult {
    const find = (event: Event): void => {
      this.words = (event.target as HTMLInputElement).value;
      void this.look();
    };
    return html`<input type="search" aria-label="Words in the audit" placeholder="who, what, about, outcome" maxlength="200" @input=${find} />
      ${this.why === "" ? nothing : html`<p role="alert" class="failed">${this.why}</p>`}
      ${this.entries.length === 0 && this.why === "" ? html`<p class="quiet">Nothing fits.</p>` : nothing}
      <ol aria-label="Audit">${this.entries.map((one) => html`<li><time class="number">${clock(one.at)}</time><strong>${one.who}</strong>
        ${one.operation.replaceAll("_", " ")} ${one.about}<small class=${one.outcome === "done" ? "quiet" : "failed"}>${one.outcome}</small></li>`)}</ol>
      ${this.hasMore ? html`<button @click=${() => void this.more()}>Older</button>` : nothing}`;
  }

  private async look(): Promise<void> {
    [this.asked, this.looked] = [this.station.events, performance.now()];
    await this.take(null);
  }

  private async more(): Promise<void> {
    await this.take(this.entries.at(-1)?.id ?? null);
  }

  // Of several looks under way the last one counts.
  private async take(before: number | null): Promise<void> {
    const look = ++this.looks;
    try {
      const { entries } = await this.station.api.call("audit", { newest: true, before, words: this.words, limit: AT_ONCE });
      if (look !== this.looks) return;
      this.entries = before === null ? entries : [...this.entries, ...entries];
      [this.hasMore, this.why] = [entries.length === AT_ONCE, ""];
    } catch (error) {
      if (look === this.looks) [this.entries, this.why] = [[], said(error)];
    }
  }
}

// Hours, minutes and seconds of a day, and the day where it is another one.
function clock(at: number): string {
  const when = new Date(at * 1000);
  const time = when.toLocaleTimeString([], { hour12: false });
  return when.toDateString() === new Date().toDateString() ? time : `${when.toISOString().slice(0, 10)} ${time}`;
}
