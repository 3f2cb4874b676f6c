// What is known of the chosen robot.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { commandName, short } from "../run/digest";
import { NOBODY } from "../run/journal";
import { isMoving, poseAt, speedAt } from "../run/motion";
import { readPalette } from "../draw/palette";
import { inWords, type Published } from "../run/published";
import { mapCanvas } from "../draw/published_layer";
import type { Session } from "../session";
import { controls } from "./styles";
import type { Body } from "../run/swarm";
import type { Pointed } from "./work_space";

const LAST = 12; // things that happened to it
const MOST_ROWS = 200; // robots in the table of what they show

@customElement("kumi-monitor")
export class Monitor extends LitElement {
  @property({ attribute: false }) session!: Session;
  @property({ attribute: false }) pointed!: Pointed;
  @property({ type: Number }) tick = 0;

  static override styles = [controls, css`
    :host { padding: 10px 14px; overflow: auto; }
    h2 { font-size: 16px; margin: 2px 0 8px; overflow-wrap: anywhere; }
    h3 { font-size: 13px; margin: 14px 0 4px; }
    dl { display: grid; grid-template-columns: 110px 1fr; gap: 4px 10px; margin: 0; }
    dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
    img { display: block; max-width: 100%; min-width: 60%; image-rendering: pixelated; background: var(--plane); border: 1px solid var(--line); }
    table { border-collapse: collapse; width: 100%; } th { text-align: left; font-weight: 600; } th, td { padding: 3px 8px 3px 0; } td { overflow-wrap: anywhere; }
    tr.of { cursor: pointer; } tr.of:hover { background: var(--hover); }
    ol { list-style: none; margin: 0; padding: 0; } li { padding: 2px 0; overflow-wrap: anywhere; }
  `];

  protected override render(): TemplateResult {
    const { chosen } = this.pointed;
    const body = chosen === null ? undefined : this.session.swarm.bodies.get(chosen);
    if (chosen === null) return html`<p class="quiet">Click a robot, or press N, to see what it does.</p>${this.shown(NOBODY, "The run")}${this.table()}`;
    if (body === undefined) return html`<p class="quiet">Robot ${chosen} is not in the world at this time.</p>`;
    const name = this.session.meta?.robots[String(chosen)];
    const last = this.session.timeline.latest(this.session.now, LAST, (one) => one.body === chosen);
    return html`
      <h2>${name === undefined ? `Robot ${chosen}` : name}</h2>
      ${this.shown(chosen, "Shows")}
      <h3>Body</h3>
      <dl class="number">${this.facts(body).map(([what, value]) => html`<dt>${what}</dt><dd>${value}</dd>`)}</dl>
      ${this.calibration(chosen)}
      ${last.length === 0 ? nothing : html`<h3>Lately</h3><ol>${last.map((one) => html`<li>
        <span class="number quiet">${one.time.toFixed(3)}</span> ${one.kind}: ${this.session.timeline.sendings.words(one)}</li>`)}</ol>`}`;
  }

  // What a program shows of its robot, or of the run, by name.
  private shown(body: number, title: string): TemplateResult | typeof nothing {
    const rows = this.session.swarm.showings.rows(body);
    if (rows.length === 0) return nothing;
    return html`<h3>${title}</h3><dl class="number shown">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${inWords(value)}${picture(value)}</dd>`)}</dl>`;
  }

  // One row a robot, one column a name.
  private table(): TemplateResult | typeof nothing {
    const { meta, swarm: { showings } } = this.session;
    const names = showings.names((value) => typeof value !== "object");
    if (names.length === 0) return nothing;
    const robots = [...showings.of.keys()].filter((body) => body !== NOBODY).sort((one, other) => one - other).slice(0, MOST_ROWS);
    const choose = (robot: number): void => {
      this.dispatchEvent(new CustomEvent<Partial<Pointed>>("point", { detail: { chosen: robot } }));
    };
    return html`<h3>Robots</h3><table class="number"><tr><th>robot</th>${names.map((name) => html`<th>${name}</th>`)}</tr>${robots.map((robot) => html`<tr
      class="of" @click=${() => { choose(robot); }}><td>${meta?.robots[String(robot)] ?? robot}</td>${names.map((name) => html`<td>${this.cell(robot, name)}</td>`)}</tr>`)}</table>`;
  }

  private cell(robot: number, name: string): string {
    const value = this.session.swarm.showings.of.get(robot)?.get(name);
    return value === undefined || typeof value === "object" ? "" : inWords(value);
  }

  private calibration(robot: number): TemplateResult | typeof nothing {
    const table = this.session.meta?.calibrations[String(robot)];
    if (table === undefined) return nothing;
    return html`<h3>Calibration</h3><dl class="number">${flat(table).map(([what, value]) => html`<dt>${what}</dt><dd>${value}</dd>`)}</dl>`;
  }

  private facts(body: Body): [string, string][] {
    const now = this.session.now;
    const { x, y, heading } = poseAt(body.piece, now, { x: 0, y: 0, heading: 0 });
    const degrees = 180 - (((180 - (heading * 180) / Math.PI) % 360) + 360) % 360; // above -180, up to 180
    const size = body.shape.kind === "disc" ? "disc" : body.shape.kind;
    const motion = isMoving(body.piece, now) ? "moving" : "at rest";
    const where: [string, string][] = [
      ["position", `(${x.toFixed(3)}, ${y.toFixed(3)}) m`],
      ["heading", `${degrees.toFixed(1)}°`],
      ["speed", `${speedAt(body.piece, now).toFixed(3)} m/s`],
      ["shape", `${size}, reaches ${short(body.radius)} m`],
    ];
    // Of a robot of a station everybody may know no more; its tasks are in the station's own panel.
    const robot = this.session.stationSession?.robots.get(body.number);
    if (robot !== undefined)
      return [["team", robot.team], ["body", robot.body], ["state", robot.state === "lost" ? "lost: this is where it was heard last" : motion], ...where];
    return [
      ["number", String(body.number)], ["motion", motion], ...where,
      ["command", body.command === 0 ? "none" : commandName(body.command)],
      ["goes to", body.goal === null ? "–" : `(${short(body.goal[0])}, ${short(body.goal[1])})`],
      ["contacts", String(body.contacts)],
      ["messages", `${body.sent} sent, ${body.received} received`],
    ];
  }
}

// Maps are pictures beside the words.
function picture(value: Published): TemplateResult | typeof nothing {
  if (typeof value !== "object" || value.kind !== "map") return nothing;
  return html`<img alt="The map as it is believed" src=${mapCanvas(value, readPalette()).toDataURL()} />`;
}

// The rows of a table, those of tables within it with both names.
export function flat(table: Record<string, unknown>, before = ""): [string, string][] {
  return Object.entries(table).flatMap(([key, value]): [string, string][] => {
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return flat(value as Record<string, unknown>, `${before}${key} `);
    return [[before + key.replaceAll("_", " "), typeof value === "string" ? value : JSON.stringify(value)]];
  });
}
