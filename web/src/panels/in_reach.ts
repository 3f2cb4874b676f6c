// What is said over the work space: what the tool wants, what was refused, and warnings.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { AT_REST } from "../actions/actions";
import type { Hand } from "../actions/hand";
import { NOBODY } from "../run/journal";
import type { Session } from "../session";
import { controls } from "./styles";

const SHOWN = 4; // warnings

@customElement("kumi-in-reach")
export class InReach extends LitElement {
  @property({ attribute: false }) session!: Session;
  @property({ attribute: false }) hand!: Hand;
  @property({ attribute: false }) chosen: number | null = null;
  @property({ type: Number }) tick = 0;

  static override styles = [controls, css`
    :host { position: absolute; inset: 10px; pointer-events: none; display: flex; flex-direction: column; gap: 8px; align-items: flex-start; }
    :host > * { pointer-events: auto; }
    .hint { background: var(--accent); color: var(--plane); border-radius: 9px; padding: 6px 12px; margin: 0; max-width: min(520px, 90%); box-shadow: 0 4px 16px #0002; }
    .refusal, .warnings { background: var(--plane); border: 1px solid var(--line); border-radius: 9px; box-shadow: 0 4px 16px #0002; max-width: min(520px, 100%); }
    .refusal { border-color: var(--contact); color: var(--contact); padding: 4px 4px 4px 12px; display: flex; gap: 6px; align-items: center; }
    .warnings { list-style: none; margin: 0; padding: 6px 12px; color: var(--on-warning); background: var(--warning); }
    .reached { background: var(--plane); border: 1px solid var(--line); border-radius: 9px; padding: 4px 12px; margin: 0; max-width: min(520px, 90%); overflow-wrap: anywhere; }
    .hint, .warnings, .reached { pointer-events: none; }
    .off { background: var(--plane); color: inherit; }
    @media print { :host { display: none; } }
  `];

  protected override render(): TemplateResult {
    const { hand, chosen } = this;
    const { warnings, more_warnings, why_off } = this.session.playing.isLive ? this.session.done : AT_REST;
    const more = warnings.length - SHOWN + more_warnings;
    const hint = hand.tool.hint(chosen);
    return html`
      ${this.reached()}
      ${hint === "" ? nothing : html`<p class="hint" role="status">${hint}</p>`}
      ${hand.refusal === "" ? nothing : html`<div class="refusal" role="alert"><span>${hand.refusal}</span>
        <button aria-label="Close the message" @click=${() => { hand.say(""); }}>✕</button></div>`}
      ${warnings.length === 0 ? nothing : html`<ul class="warnings" aria-label="Warnings">${warnings.slice(0, SHOWN).map((one) => html`<li>
        ${one.robot} will hit ${one.other} in <span class="number">${one.seconds.toFixed(1)}</span> s</li>`)}
        ${more > 0 ? html`<li>and ${more} more</li>` : nothing}</ul>`}
      ${why_off === "" ? nothing : html`<p class="warnings off" role="status">${why_off}</p>`}`;
  }

  // Names the event that a step led to.
  private reached(): TemplateResult | typeof nothing {
    const { reached, timeline, meta } = this.session;
    const [first] = reached;
    if (first === undefined) return nothing;
    const who = first.body === NOBODY ? "" : ` ${meta?.robots[String(first.body)] ?? `robot ${first.body}`}:`;
    const more = reached.length > 1 ? `, and ${reached.length - 1} more at this instant` : "";
    return html`<p class="reached" role="status" aria-label="Event reached"><b>${first.kind}</b>${who} ${timeline.sendings.words(first)}${more}</p>`;
  }
}
