// Where code is written: the text with its lines numbered, the lines with mistakes marked, and what is wrong with each.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import type { Mistake } from "../actions/actions";
import { controls, forms } from "./styles";

@customElement("kumi-code-editor")
export class CodeEditor extends LitElement {
  @property({ attribute: false }) text = "";
  @property({ attribute: false }) mistakes: readonly Mistake[] = [];
  @query("textarea") private field!: HTMLTextAreaElement;
  @query(".lines") private lines!: HTMLElement;

  static override styles = [controls, forms, css`
    :host { display: block; padding: 0; overflow: visible; }
    .editor { display: flex; border: 1px solid var(--line); border-radius: 7px; background: var(--plane); overflow: hidden; resize: vertical; height: 150px; }
    .editor:focus-within { outline: 2px solid var(--accent); outline-offset: 1px; }
    .lines { font: 13px/1.4 ui-monospace, monospace; padding: 6px 0; margin: 0; min-width: 30px; text-align: right; overflow: hidden; color: var(--quiet); background: var(--panel); }
    .lines span { display: block; padding: 0 6px; }
    .wrong { background: var(--contact); color: #fff; }
    textarea { flex: 1; border: 0; border-radius: 0; resize: none; outline: none !important; white-space: pre; overflow: auto; min-height: 0; }
    ol { list-style: none; margin: 6px 0 0; padding: 0; }
    li { display: flex; gap: 6px; align-items: baseline; color: var(--contact); overflow-wrap: anywhere; }
    li button { flex: none; text-decoration: underline; min-height: 24px; padding: 0 4px; color: inherit; }
  `];

  protected override render(): TemplateResult {
    const wrong = new Set(this.mistakes.map(({ line }) => line));
    const count = this.text.split("\n").length;
    const numbers = Array.from({ length: count }, (_, at) => html`<span class=${wrong.has(at + 1) ? "wrong" : ""}>${at + 1}</span>`);
    return html`<div class="editor"><div class="lines" aria-hidden="true">${numbers}</div>
        <textarea aria-label="Code of a robot program" aria-invalid=${wrong.size > 0} spellcheck="false" wrap="off" .value=${this.text}
          @input=${this.write} @scroll=${() => { this.lines.scrollTop = this.field.scrollTop; }}></textarea></div>
      ${this.mistakes.length === 0 ? nothing : html`<ol aria-label="Mistakes in the code" aria-live="polite">${this.mistakes.map(({ line, sentence }) => html`<li>
        ${line === null ? nothing : html`<button @click=${() => { this.go(line); }}>line ${line}</button>`}<span>${sentence}</span></li>`)}</ol>`}`;
  }

  // Chooses a line of the text.
  private go(line: number): void {
    const before = this.text.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    this.field.focus();
    this.field.setSelectionRange(before, before + (this.text.split("\n")[line - 1] ?? "").length);
  }

  private write(): void {
    this.text = this.field.value;
    this.dispatchEvent(new CustomEvent("write", { detail: this.text }));
  }
}
