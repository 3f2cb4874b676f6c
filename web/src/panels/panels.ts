// The panels beside the work space, and the sheets that the buttons above it open.

import { css, html, nothing, type TemplateResult } from "lit";
import "./diagram";
import "./do_panel";
import "./event_log";
import "./monitor";
import "./plots";
import "../station/panel";
import "./world_panel";
import type { Action } from "../actions/actions";
import type { Hand } from "../actions/hand";
import { HELP } from "./keys";
import type { Layers } from "../draw/overlay";
import { readPalette } from "../draw/palette";
import { lookOf, materialOf, obstaclesOf } from "../draw/scenery";
import type { Session } from "../session";
import type { Pointed } from "./work_space";

// In the order of their tabs; those that need rights come last, so that none moves when rights arrive.
export const PANELS = {
  robot: "Robot", events: "Events", diagram: "Space–time", plots: "Plots", station: "Station", do: "Do", world: "World",
} as const;
export type Panel = keyof typeof PANELS;

const LAYER_NAMES: Record<keyof Layers, string> = {
  colors: "colours by what robots show", maps: "maps that robots drew", marks: "paths and marks",
  grid: "grid", reserved: "reserved floor", trails: "trails", goals: "goals", reach: "radio reach", messages: "messages", contacts: "contacts", names: "names",
  station: "what a station knows", sensors: "sensors", teams: "teams", lost: "lost robots",
};

const WORLD: readonly Action[] = ["placeRobot", "drawWall", "loadMap", "setNoise"];

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
    do: hand.canAct, world: WORLD.some((action) => hand.offers(action)), station: session.stationSession !== null,
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
    .checked=${layers[key]} ?disabled=${!hasLayer(session, key)} @change=${() => { toggle(key); }} />${name}</label>${choiceOf(key, session)}`)}</fieldset>${materialList(session)}`;
}

// Where programs show several things: by which robots are coloured, and which maps are drawn.
function choiceOf(layer: keyof Layers, { swarm: { showings } }: Session): TemplateResult | typeof nothing {
  if (layer !== "colors" && layer !== "maps") return nothing;
  const names = layer === "maps" ? showings.mapNames : showings.names((value) => typeof value !== "object");
  const chosen = layer === "maps" ? showings.mapDrawn : showings.coloredBy;
  if (names.length === 0 || (names.length === 1 && names[0] === chosen)) return nothing;
  const choose = (event: Event): void => {
    showings[layer === "maps" ? "mapDrawn" : "coloredBy"] = (event.target as HTMLSelectElement).value;
  };
  const options = names.includes(chosen) ? names : [chosen, ...names];
  return html`<select class="choice" aria-label=${layer === "maps" ? "Which maps" : "Colour robots by"} @change=${choose}>${options.map((name) => html`<option
    ?selected=${name === chosen}>${name}</option>`)}</select>`;
}

// How the materials on the map are drawn, where not all is solid.
function materialList({ meta, swarm }: Session): TemplateResult | typeof nothing {
  const things = meta === null ? [] : [...obstaclesOf(meta.map, swarm.came, swarm.left).values()];
  const palette = readPalette();
  const looks = new Map(things.map((thing) => [materialOf(thing).name, lookOf(thing, palette)]));
  if (looks.size === 0 || (looks.size === 1 && looks.has("solid"))) return nothing;
  return html`<h2 class="materials">Materials</h2><p class="materials">${[...looks].map(([name, look]) => html`<span><svg width="16" height="16"
    aria-hidden="true"><rect x="1.5" y="1.5" width="13" height="13" fill=${look.fill} stroke=${look.edge || look.fill} stroke-width="1.5"
    stroke-dasharray=${look.dash.join(" ") || "none"}></rect></svg>${name}</span>`)}</p>`;
}

export const sheetStyles = css`
  .sheet { position: absolute; right: 10px; top: calc(100% + 6px); padding: 12px 16px; background: var(--plane); border: 1px solid var(--line);
    border-radius: 10px; box-shadow: 0 6px 24px #0003; max-width: min(420px, 90vw); }
  .sheet label { display: flex; gap: 8px; align-items: center; min-height: 30px; cursor: pointer; }
  fieldset { border: 0; margin: 0; padding: 0; }
  legend, .sheet h2 { font-size: 13px; font-weight: 600; margin: 0 0 6px; }
  dl { display: grid; grid-template-columns: auto 1fr; gap: 3px 14px; margin: 0; }
  dd { margin: 0; } kbd { font: inherit; border: 1px solid var(--line); border-radius: 4px; padding: 0 5px; }
  .choice { margin-left: 22px; }
  h2.materials { margin-top: 10px; }
  p.materials { display: flex; flex-wrap: wrap; gap: 4px 14px; margin: 0; }
  .materials span { display: inline-flex; align-items: center; gap: 6px; }
`;

function hasLayer({ meta, groups, stationSession, swarm: { showings } }: Session, layer: keyof Layers): boolean {
  switch (layer) {
    case "colors":
      return showings.names((value) => typeof value !== "object").length > 0;
    case "maps":
      return showings.mapNames.length > 0;
    case "marks":
      return showings.names((value) => typeof value === "object" && value.kind !== "map").length > 0;
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
