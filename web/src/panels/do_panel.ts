// What the chosen robot is to do: go to a place, follow a path, carry out commands, run code.

import EXAMPLE from "../../../examples/rounds.py";
import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import "./code_editor";
import { ORDERS, Refused, type Failure, type Mistake, type Order } from "../actions/actions";
import type { Hand } from "../actions/hand";
import { typed } from "../actions/places";
import type { Session } from "../session";
import { controls, forms } from "./styles";
import { clockText } from "./time_bar";
import type { ToolKind } from "../actions/tool";

const SOON = 400; // milliseconds after the last letter until code is checked
const WORDS = "forward 50 cm\nleft 90 deg\nforward 50 cm";
const TOOLS: readonly [ToolKind, string][] = [
  ["goTo", "Go to (G)"], ["followPath", "Follow path (A)"], ["examineArea", "Examine area"],
];
const ORDER_NAMES: Record<Order, string> = { interrupt: "at once", queue: "after the rest" };

@customElement("kumi-do-panel")
export class DoPanel extends LitElement {
  @property({ attribute: false }) session!: Session;
  @property({ attribute: false }) hand!: Hand;
  @property({ attribute: false }) chosen: number | null = null;
  @property({ type: Number }) tick = 0;
  @state() private text: string | null = null; // of the code, once it was written
  @state() private words = WORDS;
  @state() private mistakes: readonly Mistake[] = [];
  private rewritten: Failure | undefined; // the code that failed so is another now
  private checking: ReturnType<typeof setTimeout> | undefined;

  static override styles = [controls, forms, css`
    .tools button { flex: 1 1 40%; }
    textarea { min-height: 92px; }
    form { flex-wrap: nowrap; }
    .state { display: flex; align-items: center; gap: 8px; justify-content: space-between; }
  `];

  protected override render(): TemplateResult {
    const { hand, chosen } = this;
    const name = chosen === null ? "no robot is chosen" : (this.session.meta?.robots[String(chosen)] ?? `Robot ${chosen}`);
    return html`
      <section>
        <h2>${name}</h2>
        ${this.heldState()}
        ${this.session.playing.isLive || this.session.isOver ? nothing
          : html`<p class="quiet">You look at what was. What you order happens at the present end of the run.</p>`}
        <div class="row tools">${TOOLS.map(([kind, words]) => hand.offers(kind) ? html`<button class="plain" aria-pressed=${hand.tool.kind === kind}
          @click=${() => { hand.takeTool(kind); }}>${words}</button>` : nothing)}</div>
        ${hand.offers("followPath") ? html`<form class="row" @submit=${this.goTyped}>
          <input type="text" name="places" aria-label="Places to go to" placeholder="or type: 2, 5; 4, 6.5" autocomplete="off" />
          <button class="plain" ?disabled=${chosen === null}>Go</button></form>` : nothing}
        <p class="quiet" role="status">${hand.told}</p>
        <label class="line">Orders are carried out
          <select aria-label="When orders are carried out" @change=${(event: Event) => { hand.order = (event.target as HTMLSelectElement).value as Order; }}>
            ${[...ORDERS].reverse().map((one) => html`<option value=${one} ?selected=${one === hand.order}>${ORDER_NAMES[one]}</option>`)}
          </select></label>
      </section>
      ${hand.offers("commands") ? html`<section>
        <h3>Commands</h3>
        <textarea aria-label="List of commands" spellcheck="false" .value=${this.words}
          @input=${(event: Event) => { this.words = (event.target as HTMLTextAreaElement).value; }}></textarea>
        <div class="row"><button class="plain" ?disabled=${chosen === null} @click=${this.sendCommands}>Carry out</button></div>
      </section>` : nothing}
      ${hand.offers("giveCode") ? html`<section>
        <h3>Code</h3>
        <kumi-code-editor .text=${this.code} .mistakes=${this.complaints} @write=${(event: CustomEvent<string>) => { this.write(event.detail); }}></kumi-code-editor>
        <div class="row"><button class="plain" ?disabled=${chosen === null} @click=${() => void this.giveCode()}>Run in this robot</button>
          <label class="plain file">Load a file<input type="file" accept=".py,text/x-python" aria-label="File with a robot program" @change=${this.readFile} /></label></div>
      </section>` : nothing}`;
  }

  private get code(): string {
    return this.text ?? EXAMPLE;
  }

  private heldState(): TemplateResult | typeof nothing {
    const { chosen, hand } = this;
    const left = chosen === null ? undefined : this.session.done.held[String(chosen)];
    if (chosen === null) return html`<p class="quiet">Click a robot, or press N.</p>`;
    if (!hand.offers("release")) return nothing;
    if (left === undefined) return html`<p class="quiet state">Its own program drives it.</p>`;
    const what = left === 0 ? "It waits for orders." : left === 1 ? "It carries out an order." : `It carries out an order; ${left - 1} to come.`;
    return html`<div class="state"><span>${what}</span><button class="plain" title="Give it back to its program (R)"
      @click=${() => void hand.do(`Robot ${chosen} is released.`, (acts) => acts.release(chosen))}>Release</button></div>`;
  }

  private goTyped(event: SubmitEvent): void {
    const text = typed(event);
    this.hand.doAt("followPath", this.chosen, text, 1);
  }

  private sendCommands(): void {
    const { chosen, words } = this;
    if (chosen !== null) void this.hand.do(`Robot ${chosen} has its commands.`, (acts) => acts.commands(chosen, words));
  }

  private async giveCode(): Promise<void> {
    const { chosen, code } = this;
    if (chosen === null) return;
    this.hand.told = "";
    if ((await this.check()) > 0) return;
    this.rewritten = this.failure;
    await this.hand.do(`Robot ${chosen} runs the code.`, (acts) => acts.giveCode(chosen, "code.py", code));
  }

  private write(code: string): void {
    this.text = code;
    this.rewritten = this.failure;
    clearTimeout(this.checking);
    this.checking = setTimeout(() => void this.check(), SOON);
  }

  // Asks what is wrong with the code as it is now, and returns how much.
  private async check(): Promise<number> {
    const { chosen, hand, code } = this;
    clearTimeout(this.checking);
    if (chosen === null || hand.actions === null || !hand.offers("checkCode")) return 0;
    try {
      this.mistakes = await hand.actions.checkCode(chosen, code);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.mistakes = []; // who may not even ask hears why when it is to run
    }
    return this.mistakes.length;
  }

  private get failure(): Failure | undefined {
    return this.session.done.failures[String(this.chosen)];
  }

  // What is to be seen beside the code: its mistakes, or where it failed.
  private get complaints(): readonly Mistake[] {
    const { failure, rewritten } = this;
    if (this.mistakes.length > 0 || failure === undefined) return this.mistakes;
    if (failure.time === rewritten?.time && failure.sentence === rewritten.sentence) return [];
    return [{ line: failure.line, sentence: `${failure.sentence} It failed at ${clockText(failure.time)}.` }];
  }

  private readFile(event: Event): void {
    const file = (event.target as HTMLInputElement).files?.[0];
    if (file !== undefined) void file.text().then((text) => { this.write(text); });
  }
}
