// What the colours of robots and of their maps mean, in a corner of the work space.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { Layers } from "./overlay";
import { readPalette } from "./palette";
import type { Session } from "./session";

// The entries of the legend: what each layer that is on shows now.
export function legendOf({ swarm }: Session, layers: Layers): { color: string; text: string }[] {
  const { showings } = swarm;
  const robots = layers.colors && showings.hasColors ? showings.legend() : [];
  if (!layers.maps || showings.mapDrawn === "") return robots;
  const palette = readPalette();
  return [...robots, { color: palette.believedFree, text: "believed free" }, { color: palette.believedTaken, text: "believed taken" }];
}

@customElement("kumi-published-legend")
export class PublishedLegend extends LitElement {
  @property({ attribute: false }) session!: Session;
  @property({ attribute: false }) layers!: Layers;
  @property({ type: Number }) tick = 0;

  static override styles = css`
    ul { position: absolute; left: 10px; top: 10px; margin: 0; padding: 6px 10px; list-style: none; background: var(--panel); border: 1px solid var(--line);
      border-radius: 8px; font-size: 12px; color: var(--text); pointer-events: none; opacity: 0.92; }
    li { display: flex; align-items: center; gap: 6px; min-height: 18px; }
    svg { flex: none; } circle { stroke: var(--quiet); }
    strong { font-weight: 600; }
  `;

  protected override render(): TemplateResult | typeof nothing {
    const entries = legendOf(this.session, this.layers);
    if (entries.length === 0) return nothing;
    const { coloredBy } = this.session.swarm.showings;
    return html`<ul aria-label="Legend"><li><strong>${coloredBy}</strong></li>${entries.map(({ color, text }) => html`<li>
      <svg width="12" height="12" aria-hidden="true"><circle cx="6" cy="6" r="5" fill=${color}></circle></svg>${text}</li>`)}</ul>`;
  }
}
