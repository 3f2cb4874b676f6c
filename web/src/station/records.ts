// What a station tells of itself over the socket, and tasks in words. The types of its answers are in types.ts.

import type { MapTable } from "../draw/scenery";
import type { FoundObject, Happening, Person, ShownRobot, PlaceRecord, Task } from "../types";

// Who looks.
export type Looker = Pick<Person, "name" | "team" | "role">;

// What comes over the socket beside journals.
export type StationWord =
  | ({ kind: "known" } & Looker)
  | { kind: "robots"; robots: Record<string, ShownRobot | null>; isAll: boolean }
  | { kind: "map"; version: number; map: MapTable }
  | { kind: "objects"; objects: FoundObject[]; isAll: boolean }
  | { kind: "happened"; happened: Happening[] };

// Where a task leads, in order; none where it leads nowhere.
export function wayOf(task: Task): PlaceRecord[] {
  const { at, path } = task.arguments;
  const places: unknown[] = Array.isArray(path) ? path : [at];
  return places.filter(isSpot);
}

function isSpot(value: unknown): value is PlaceRecord {
  const { x, y } = (value ?? {}) as Partial<PlaceRecord>;
  return typeof x === "number" && typeof y === "number";
}

export function place({ x, y }: PlaceRecord): string {
  return `(${Number(x.toFixed(2))}, ${Number(y.toFixed(2))})`;
}

// A task in a few words: `goTo (7, 1)`.
export function taskWords(task: Task): string {
  const way = wayOf(task).map(place).join(" ");
  const name = task.arguments["name"];
  return [task.name, way === "" && typeof name === "string" ? name : way].join(" ").trim();
}

// What became of a task, by a word for its state; an outcome that says it already, as "stopped by ana", is enough.
export function endWords(word: string, { state, outcome }: Pick<Task, "state" | "outcome">): string {
  if (outcome.startsWith(state)) return outcome;
  return outcome === "" ? word : `${word}: ${outcome}`;
}

// Bytes that travelled as text.
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}
