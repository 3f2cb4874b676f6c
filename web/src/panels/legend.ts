// What the colours and signs in the picture mean, how long a metre is, and where the pointer is: a strip below the picture, which covers
// nothing of it. Entries for which the strip is too small are behind a button that says how many they are.

import { css, html, LitElement, nothing, svg, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Camera } from "../draw/camera";
import type { Spot } from "../actions/actions";
import { short } from "../run/digest";
import type { Layers } from "../draw/overlay";
import { typeColors } from "../draw/palette";
import { gridStep } from "../draw/scenery";
import type { Session } from "../session";
import { metres } from "../draw/sizes";
import { controls } from "./styles";

// How something looks in the picture; colours are those of a style.
export interface Sign {
  readonly kind: "disc" | "area" | "line" | "dashes" | "ring" | "cross";
  readonly color: string;
  readonly edge?: string;
}

export interface Entry {
  readonly name: string;
  readonly sign: Sign;
}

// All that is to be explained of the present picture. Whoever draws another layer adds what it means.
const SOURCES: readonly ((session: Session, layers: Layers) => readonly Entry[])[] = [
  shownEntries, robotEntries, mapEntries, messageEntries, floorEntries, mishapEntries,
];

export function explained(session: Session, layers: Layers): Entry[] {
  return SOURCES.flatMap((source) => source(session, layers));
}

// What robots show, with how many show it; of numbers, the least and the greatest.
function shownEntries({ swarm: { showings } }: Session, layers: Layers): Entry[] {
  if (!layers.colors || !showings.hasColors) return [];
  return showings.legend().map(({ color, text }) => ({ name: text, sign: { kind: "disc", color } }));
}

// Of those that have no colour by what they show.
function robotEntries({ groups, swarm }: Session, layers: Layers): Entry[] {
  const { showings } = swarm;
  const isPlain = (number: number): boolean => !layers.colors || !showings.hasColors || showings.styleOf(number) === null;
  if (![...swarm.bodies.keys()].some(isPlain)) return [];
  if (layers.teams && groups.hasTeams) return groups.teams.map(([name, color]) => ({ name, sign: { kind: "disc", color } }));
  return [
    { name: "moving", sign: { kind: "disc", color: "var(--moving)" } },
    { name: "at rest", sign: { kind: "disc", color: "var(--resting)" } },
  ];
}

function mapEntries({ swarm: { showings } }: Session, layers: Layers): Entry[] {
  if (!layers.maps || showings.mapDrawn === "") return [];
  return [
    { name: "believed free", sign: { kind: "area", color: "var(--believed-free)", edge: "var(--believed-taken)" } },
    { name: "believed taken", sign: { kind: "area", color: "var(--believed-taken)" } },
  ];
}

function messageEntries(_session: Session, layers: Layers): Entry[] {
  const types = layers.messages ? typeColors.seen : [];
  const lost: Entry[] = types.length === 0 ? [] : [{ name: "lost message", sign: { kind: "dashes", color: "var(--quiet)" } }];
  return [...types.map(([name, color]): Entry => ({ name, sign: { kind: "line", color } })), ...lost];
}

function floorEntries({ swarm }: Session, layers: Layers): Entry[] {
  if (!layers.reserved || swarm.zones.size === 0) return [];
  return [
    { name: "reserved", sign: { kind: "area", color: "var(--reserved)", edge: "var(--reserved-edge)" } },
    { name: "waited for", sign: { kind: "area", color: "var(--asked)", edge: "var(--asked-edge)" } },
  ];
}

function mishapEntries({ swarm, done }: Session, layers: Layers): Entry[] {
  const entries: [boolean, Entry][] = [
    [layers.contacts && swarm.touches.length > 0, { name: "contact", sign: { kind: "ring", color: "var(--contact)" } }],
    [layers.lost && swarm.lost.size > 0, { name: "lost robot", sign: { kind: "cross", color: "var(--contact)" } }],
    [Object.keys(done.held).length > 0, { name: "by hand", sign: { kind: "ring", color: "var(--accent)" } }],
  ];
  return entries.flatMap(([isThere, entry]) => (isThere ? [entry] : []));
}

@customElement("kumi-legend")
export class Legend extends LitElement {
  @property({ attribute: false }) session!: Session;
  @property({ attribute: false }) layers!: Layers;
  @property({ attribute: false }) camera: Camera | null = null;
  @property({ attribute: false }) pointer: Spot | null = null;
  @property({ type: Number }) tick = 0;
  @state() private isOpen = false;
  private room = "";
  private fitted = "";
  private readonly sizes = new ResizeObserver(() => { this.room = `${this.clientWidth} × ${this.clientHeight}`; this.requestUpdate(); });

  static override styles = [controls, css`
    :host { display: flex; align-items: center; align-content: safe center; gap: 3px 14px; padding: 0 10px; height: 60px; font-size: 12px; min-width: 0; flex-wrap: wrap; overflow: hidden; }
    :host(.open) { height: auto; min-height: 60px; max-height: 50vh; overflow: auto; }
    .more { min-height: 0; min-width: 0; padding: 0 4px; line-height: 1.2; }
    [hidden] { display: none; }
    .bar { flex: none; display: inline-flex; flex-direction: column; align-items: center; gap: 1px; line-height: 1.1; }
    .at { flex: none; min-width: 116px; }
    ul { display: contents; list-style: none; }
    li { display: inline-flex; align-items: center; gap: 5px; white-space: nowrap; }
    svg { flex: none; }
    @media (max-height: 480px) { :host { height: 34px; } :host(.open) { min-height: 34px; } }
    @media (max-width: 480px) { .at { display: none; } :host { gap: 0 9px; font-size: 11px; align-content: start; } }
  `];

  override connectedCallback(): void {
    super.connectedCallback();
    this.sizes.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.sizes.disconnect();
  }

  // Entries and room change seldom, and only then is it measured what fits.
  protected override updated(): void {
    const entries = [...this.renderRoot.querySelectorAll("li")];
    const more = this.renderRoot.querySelector<HTMLButtonElement>(".more");
    const wanted = [this.room, this.isOpen, ...entries.map((one) => one.textContent)].join("|");
    if (more === null || wanted === this.fitted) return;
    this.fitted = wanted;
    this.classList.toggle("open", this.isOpen);
    for (const one of entries) one.hidden = false;
    more.hidden = !this.isOpen;
    more.textContent = "fewer";
    const strip = this.getBoundingClientRect();
    const isIn = (one: Element | undefined): boolean => {
      const box = one?.getBoundingClientRect();
      return box === undefined || (box.right <= strip.right + 0.5 && box.bottom <= strip.bottom + 0.5 && box.top >= strip.top - 0.5);
    };
    if (this.isOpen || isIn(entries.at(-1))) return;
    more.hidden = false;
    for (let kept = entries.length - 1; kept >= 0; kept--) {
      for (const [number, one] of entries.entries()) one.hidden = number >= kept;
      more.textContent = `+${entries.length - kept}`;
      if (isIn(more)) return;
    }
  }

  protected override render(): TemplateResult {
    return html`${this.camera === null ? nothing : this.bar(this.camera)}
      <span class="at number quiet" aria-label="Place under the pointer">${this.pointer === null ? nothing
        : html`x ${short(this.pointer.x)} m, y ${short(this.pointer.y)} m`}</span>
      <ul aria-label="Legend">${explained(this.session, this.layers).map(({ name, sign }) => html`<li>${drawn(sign)}${name}</li>`)}</ul>
      <button class="more" aria-expanded=${this.isOpen} title=${this.isOpen ? "Show fewer" : "Show all that is explained"}
        @click=${() => { this.isOpen = !this.isOpen; }}></button>`;
  }

  // As long as a cell of the grid.
  private bar(camera: Camera): TemplateResult {
    const step = gridStep(camera, devicePixelRatio);
    const width = (step * camera.scale) / devicePixelRatio;
    return html`<span class="bar number" role="img" aria-label="Scale: ${metres(step)}"><span>${metres(step)}</span>
      <svg width=${width} height="5" aria-hidden="true"><path d="M1 0V4H${width - 1}V0" fill="none" stroke="currentColor" stroke-width="1.5"></path></svg></span>`;
  }
}

function drawn({ kind, color, edge }: Sign): TemplateResult {
  const inside = {
    disc: svg`<circle cx="8" cy="6" r="5" fill=${color}></circle><path d="M8 6H13" stroke="#fff" stroke-width="1.5"></path>`,
    area: svg`<rect x="1" y="1.5" width="14" height="9" rx="4.5" fill=${color} stroke=${edge ?? color}></rect>`,
    line: svg`<path d="M0 6H16" stroke=${color} stroke-width="1.5"></path><circle cx="8" cy="6" r="3.5" fill=${color}></circle>`,
    dashes: svg`<path d="M0 6H16" stroke=${color} stroke-width="1.5" stroke-dasharray="3 3"></path>`,
    ring: svg`<circle cx="8" cy="6" r="4.5" fill="none" stroke=${color} stroke-width="2"></circle>`,
    cross: svg`<path d="M4 2L12 10M12 2L4 10" stroke=${color} stroke-width="2"></path>`,
  }[kind];
  return html`<svg width="16" height="12" aria-hidden="true">${inside}</svg>`;
}
