// What happened up to the instant that is shown, the latest first, as far as it fits a filter.

import { css, html, LitElement, type PropertyValues, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { KINDS, type Happening, type Kind } from "../run/digest";
import { NOBODY } from "../run/journal";
import type { Session } from "../session";
import { controls } from "./styles";
import type { Pointed } from "./work_space";

const SHOWN = 100;
const SHOWS = "shows "; // before the name of what is shown, in the choice of kinds
const OFTEN = 250; // milliseconds between two looks at what happened

// A filter is words that must all occur in what a line says; the case of letters does not matter.
export function fitsWords(line: string, words: readonly string[]): boolean {
  const small = line.toLowerCase();
  return words.every((word) => small.includes(word));
}

@customElement("kumi-event-log")
export class EventLog extends LitElement {
  @property({ attribute: false }) session!: Session;
  @property({ attribute: false }) pointed!: Pointed;
  @property({ type: Number }) tick = 0;
  @state() private words: string[] = [];
  @state() private kind: Kind | "all" = "all";
  @state() private shownName = ""; // of what is shown; empty for all
  private readonly names = new Set<string>(); // under which something was shown, as far as it was seen
  @state() private onlyChosen = false;
  private looked = -Infinity;

  static override styles = [controls, css`
    :host { display: flex; flex-direction: column; min-height: 0; }
    form { display: flex; flex-wrap: wrap; gap: 6px; padding: 8px 10px; border-bottom: 1px solid var(--line); align-items: center; }
    input[type="search"] { flex: 1 1 120px; min-width: 0; }
    ol { list-style: none; margin: 0; padding: 4px 0; overflow: auto; flex: 1; }
    li button { display: grid; grid-template-columns: 68px 84px 1fr; gap: 6px; width: 100%; min-height: 26px; text-align: left;
      justify-content: start; justify-items: start; border-radius: 0; padding: 2px 10px; }
    li span { overflow: hidden; text-overflow: ellipsis; max-width: 100%; white-space: nowrap; }
    .contact { color: var(--contact); } .dropped { color: var(--contact); }
    label { display: inline-flex; align-items: center; gap: 4px; }
    ol:empty { display: none; }
    p { margin: 0; padding: 10px; }
  `];

  // Time going on is no reason to write the list anew each time.
  protected override shouldUpdate(changed: PropertyValues): boolean {
    const isTimeOnly = changed.size === 1 && changed.has("tick");
    if (isTimeOnly && performance.now() - this.looked < OFTEN) return false;
    this.looked = performance.now();
    return true;
  }

  protected override render(): TemplateResult {
    const rows = this.rows();
    return html`
      <form role="search" @submit=${(event: Event) => { event.preventDefault(); }}>
        <input type="search" placeholder="filter: words" aria-label="Filter events by words" @input=${this.filter} />
        <select aria-label="Kind of event" @change=${this.chooseKind}>
          ${["all", ...KINDS].map((kind) => html`<option value=${kind}>${kind}</option>`)}
          ${this.shownNames().map((name) => html`<option value=${SHOWS + name}>shows ${name}</option>`)}
        </select>
        <label><input type="checkbox" @change=${() => { this.onlyChosen = !this.onlyChosen; }} />chosen robot</label>
      </form>
      <ol aria-label="Events">${rows.map((one) => html`<li><button class=${one.kind} @click=${() => { this.choose(one); }}
        title=${`${this.text(one)}\n(click to go there)`}><span class="number quiet">${one.time.toFixed(3)}</span><span>${this.name(one.body)}</span>
        <span class="text">${one.kind}: ${this.text(one)}</span></button></li>`)}</ol>
      ${rows.length === 0 ? html`<p class="quiet">Nothing that fits happened lately.</p>` : ""}`;
  }

  private rows(): Happening[] {
    const { chosen } = this.pointed;
    return this.session.timeline.latest(this.session.now, SHOWN, (one) =>
      (this.kind === "all" || one.kind === this.kind) && (this.shownName === "" || one.shown?.name === this.shownName) && (!this.onlyChosen || one.body === chosen)
      && (this.words.length === 0 || fitsWords(`${this.name(one.body)} ${one.kind} ${this.text(one)}`, this.words)));
  }

  // A kind of event, or what is shown under a name.
  private chooseKind(event: Event): void {
    const { value } = event.target as HTMLSelectElement;
    const isName = value.startsWith(SHOWS);
    this.kind = isName ? "shows" : (value as Kind | "all");
    this.shownName = isName ? value.slice(SHOWS.length) : "";
  }

  private shownNames(): string[] {
    for (const own of this.session.swarm.showings.of.values()) for (const name of own.keys()) this.names.add(name);
    return [...this.names].sort();
  }

  private text(one: Happening): string {
    return this.session.timeline.sendings.words(one);
  }

  private name(body: number): string {
    return body === NOBODY ? "run" : (this.session.meta?.robots[String(body)] ?? `robot ${body}`);
  }

  private filter(event: Event): void {
    const text = (event.target as HTMLInputElement).value;
    this.words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
  }

  private choose(one: Happening): void {
    this.session.pause();
    this.session.seek(one.time);
    if (one.body !== NOBODY)
      this.dispatchEvent(new CustomEvent<Partial<Pointed>>("point", { detail: { chosen: one.body } }));
  }
}
