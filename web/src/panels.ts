// The panels beside the work space, and the sheets that the buttons above it open.

import { html, type TemplateResult } from "lit";
import "./diagram";
import "./do_panel";
import "./event_log";
import "./monitor";
import "./plots";
import "./station_panel";
import "./world_panel";
import type { Deed } from "./deeds";
import type { Hand } from "./hand";
import { HELP } from "./keys";
import type { Layers } from "./overlay";
import type { Session } from "./session";
import type { Pointed } from "./work_space";

export const PANELS = {
  robot: "Robot", events: "Events", diagram: "Space–time", plots: "Plots", do: "Do", world: "World", station: "Station",
} as const;
export type Panel = keyof typeof PANELS;

const LAYER_NAMES: Record<keyof Layers, string> = {
  trails: "trails", goals: "goals", reach: "radio reach", messages: "messages", contacts: "contacts", names: "names",
  station: "what a station knows", sensors: "sensors", teams: "teams", lost: "lost robots",
};

const WORLD: readonly Deed[] = ["placeRobot", "drawWall", "loadMap", "setNoise"];

export interface Beside {
  session: Session;
  hand: Hand;
  pointed: Pointed;
  tick: number;
  point: (event: CustomEvent<Partial<Pointed>>) => void;
}

// The panels that make sense: acting only where something can be done, and those of a station only where one is shown.
export function panelsFor(hand: Hand, session: Session): Panel[] {
  const makesSense: Partial<Record<Panel, boolean>> = {
    do: hand.canAct, world: WORLD.some((deed) => hand.offers(deed)), station: session.stationSession !== null,
  };
  return (Object.keys(PANELS) as Panel[]).filter((panel) => makesSense[panel] ?? true);
}

export function panelInside(panel: Panel, { session, hand, pointed, tick, point }: Beside): TemplateResult {
  switch (panel) {
    case "robot":
      return html`<kumi-monitor .session=${session} .pointed=${pointed} .tick=${tick} @point=${point}></kumi-monitor>`;
    case "events":
      return html`<kumi-event-log .session=${session} .pointed=${pointed} .tick=${tick} @point=${point}></kumi-event-log>`;
    case "diagram":
      return html`<kumi-diagram .session=${session} .pointed=${pointed} .tick=${tick} @point=${point}></kumi-diagram>`;
    case "plots":
      return html`<kumi-plots .session=${session} .tick=${tick}></kumi-plots>`;
    case "do":
      return html`<kumi-do-panel .session=${session} .hand=${hand} .chosen=${pointed.chosen} .tick=${tick}></kumi-do-panel>`;
    case "world":
      return html`<kumi-world-panel .session=${session} .hand=${hand} .chosen=${pointed.chosen} .tick=${tick}></kumi-world-panel>`;
    case "station":
      return html`<kumi-station-panel .station=${session.stationSession} .chosen=${pointed.chosen} .tick=${tick}></kumi-station-panel>`;
  }
}

export function layerSheet(layers: Layers, session: Session, toggle: (layer: keyof Layers) => void): TemplateResult {
  const names = Object.entries(LAYER_NAMES) as [keyof Layers, string][];
  return html`<fieldset><legend>Layers</legend>${names.map(([key, name]) => html`<label><input type="checkbox"
    .checked=${layers[key]} ?disabled=${!hasLayer(session, key)} @change=${() => { toggle(key); }} />${name}</label>`)}</fieldset>`;
}

function hasLayer({ meta, groups, stationSession }: Session, layer: keyof Layers): boolean {
  switch (layer) {
    case "reach":
      return meta?.reach != null;
    case "sensors":
      return groups.hasSensors;
    case "teams":
      return groups.hasTeams;
    case "station":
      return stationSession !== null;
    default:
      return true;
  }
}

export function keySheet(canAct: boolean): TemplateResult {
  const rows = HELP.filter(([, , isActing]) => canAct || !isActing);
  return html`<h2>Keys</h2><dl>${rows.map(([keys, what]) => html`<dt><kbd>${keys}</kbd></dt><dd>${what}</dd>`)}</dl>`;
}
