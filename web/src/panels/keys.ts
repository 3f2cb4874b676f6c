// What can be done by keyboard.

import type { ToolKind } from "../actions/tool";

export interface KeyActions {
  playOrPause(): void;
  step(isAfter: boolean): void;
  faster(by: number): void;
  toEnd(isEnd: boolean): void;
  zoom(factor: number): void;
  pan(dx: number, dy: number): void;
  fit(): void;
  follow(): void;
  chooseNext(by: number): void;
  close(): void;
  theme(): void;
  showPanel(number: number): void;
  open(sheet: "layers" | "keys"): void;
  takeTool(kind: ToolKind): void;
  endTool(): void;
  stop(isAll: boolean): void;
  release(): void;
}

// Keys, what they do, and whether that is acting.
export const HELP: readonly [string, string, boolean][] = [
  ["space", "play or pause", false], ["← →", "step by one event", false], ["[ ]", "slower, faster", false],
  ["Home End", "to the start, to the end", false], ["+ −", "zoom", false], ["Shift arrows", "pan", false], ["F", "fit", false],
  ["N P", "choose the next or previous robot", false], ["L", "follow the chosen robot", false],
  ["G", "go to a place", true], ["A", "follow a path; Enter ends it", true], ["S", "stop the chosen robot", true],
  ["Shift S", "stop all robots", true], ["R", "release the chosen robot", true], ["W", "draw a wall", true],
  ["D", "dark or light", false], ["1 … 7", "panels", false], ["Y", "layers", false], ["Esc", "close, let go", false], ["?", "this list", false],
];

const PANS: Record<string, [number, number]> = {
  ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1],
};

const KEYS: Record<string, (actions: KeyActions) => void> = {
  " ": (to) => { to.playOrPause(); }, ArrowLeft: (to) => { to.step(false); }, ArrowRight: (to) => { to.step(true); },
  "[": (to) => { to.faster(-1); }, "]": (to) => { to.faster(1); }, Home: (to) => { to.toEnd(false); }, End: (to) => { to.toEnd(true); },
  "+": (to) => { to.zoom(1.25); }, "=": (to) => { to.zoom(1.25); }, "-": (to) => { to.zoom(0.8); },
  f: (to) => { to.fit(); }, l: (to) => { to.follow(); }, n: (to) => { to.chooseNext(1); }, p: (to) => { to.chooseNext(-1); },
  g: (to) => { to.takeTool("goTo"); }, a: (to) => { to.takeTool("followPath"); }, w: (to) => { to.takeTool("drawWall"); },
  s: (to) => { to.stop(false); }, r: (to) => { to.release(); }, Enter: (to) => { to.endTool(); },
  d: (to) => { to.theme(); }, y: (to) => { to.open("layers"); }, "?": (to) => { to.open("keys"); }, Escape: (to) => { to.close(); },
  1: (to) => { to.showPanel(0); }, 2: (to) => { to.showPanel(1); }, 3: (to) => { to.showPanel(2); }, 4: (to) => { to.showPanel(3); },
  5: (to) => { to.showPanel(4); }, 6: (to) => { to.showPanel(5); }, 7: (to) => { to.showPanel(6); },
};

// Does a key belong to the field that has the focus?
function isOwnKey(field: EventTarget | undefined, key: string): boolean {
  if (field instanceof HTMLSelectElement) return key !== "Escape";
  if (field instanceof HTMLButtonElement) return key === " " || key === "Enter";
  if (field instanceof HTMLTextAreaElement) return key !== "Escape";
  if (!(field instanceof HTMLInputElement)) return false;
  if (field.type === "range") return key.startsWith("Arrow") || key === "Home" || key === "End";
  return field.type === "checkbox" ? key === " " : key !== "Escape";
}

// Carries out what a key means, unless it belongs to a field that has the focus.
export function keyAction(event: KeyboardEvent, actions: KeyActions): void {
  if (event.ctrlKey || event.metaKey || event.altKey || isOwnKey(event.composedPath()[0], event.key)) return;
  const pan = event.shiftKey ? PANS[event.key] : undefined;
  const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (pan === undefined && act === undefined) return;
  event.preventDefault();
  if (pan !== undefined) actions.pan(...pan);
  else if (event.shiftKey && event.key.toLowerCase() === "s") actions.stop(true);
  else act?.(actions);
}
