// The panel of a station: the chosen robot's tasks, what was found and measured, contests, who uses it, and, for super-users, what was
// asked of it.

import { css, html, LitElement, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import "./audit";
import "./board";
import "./finds";
import "./people";
import "./tasks";
import type { StationSession } from "./session";
import { controls } from "../panels/styles";

const PARTS = { tasks: "Tasks", finds: "Found", board: "Contest", people: "People", audit: "Audit" } as const;

type Part = keyof typeof PARTS;

@customElement("kumi-station-panel")
export class StationPanel extends LitElement {
  @property({ attribute: false }) station!: StationSession;
  @property({ attribute: false }) chosen: number | null = null;
  @property({ type: Number }) tick = 0;
  @state() private open: Part = "tasks";

  static override styles = [controls, css`
    :host { display: flex; flex-direction: column; min-height: 0; } nav { display: flex; flex-wrap: wrap; gap: 2px; padding: 6px 10px; }
    section { flex: 1; overflow: auto; padding: 4px 14px 12px; }
  `];

  protected override render(): TemplateResult {
    const { station, tick, chosen } = this;
    const open = this.open === "audit" && !station.isSuperUser ? "tasks" : this.open;
    const inside = {
      tasks: () => html`<kumi-tasks .station=${station} .chosen=${chosen} .tick=${tick}></kumi-tasks>`,
      finds: () => html`<kumi-finds .station=${station} .tick=${tick}></kumi-finds>`,
      board: () => html`<kumi-board .station=${station} .tick=${tick}></kumi-board>`,
      people: () => html`<kumi-people .station=${station} .tick=${tick}></kumi-people>`,
      audit: () => html`<kumi-audit .station=${station} .tick=${tick}></kumi-audit>`,
    }[open]();
    const parts = Object.entries(PARTS).filter(([key]) => key !== "audit" || station.isSuperUser);
    return html`<nav aria-label="Parts of the station">${parts.map(([key, name]) => html`<button aria-pressed=${key === open}
      @click=${() => { this.open = key as Part; }}>${name}</button>`)}</nav><section>${station.person === null ? "" : inside}</section>`;
  }
}
