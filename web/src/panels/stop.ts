// Stop, big and always in reach: beside the picture, so that it covers nobody.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Hand } from "../actions/hand";
import type { Session } from "../session";
import { controls } from "./styles";

@customElement("kumi-stop")
export class Stop extends LitElement {
  @property({ attribute: false }) session!: Session;
  @property({ attribute: false }) hand!: Hand;
  @property({ attribute: false }) chosen: number | null = null;
  @property({ type: Number }) tick = 0;

  static override styles = [controls, css`
    :host { display: flex; gap: 6px; align-items: stretch; flex: none; margin: 4px 8px; }
    button { background: var(--stop); color: #fff; font-weight: 700; border-radius: 10px; }
    button:hover { filter: brightness(1.12); background: var(--stop); }
    button:focus-visible { outline: 3px solid var(--text); outline-offset: 2px; }
    .one { font-size: 18px; min-height: 48px; min-width: 112px; padding: 0 16px; }
    .all { padding: 0 10px; }
    @media (max-height: 480px) { .one { min-height: 36px; font-size: 15px; } }
    @media print { :host { display: none; } }
  `];

  protected override render(): TemplateResult {
    const { hand, chosen } = this;
    const name = chosen === null ? "" : (this.session.meta?.robots[String(chosen)] ?? `robot ${chosen}`);
    return html`
      ${chosen === null ? nothing : html`<button class="all" title="Stop all robots (Shift+S)" @click=${() => { hand.stop(null); }}>Stop all</button>`}
      <button class="one" title=${chosen === null ? "Stop all robots (Shift+S)" : `Stop ${name} (S)`}
        @click=${() => { hand.stop(chosen); }}>■ ${chosen === null ? "Stop all" : "Stop"}</button>`;
  }
}
