// What a station tells of itself, as far as the page shows it. Places are in metres, times in seconds since 1970.

import type { Spot } from "./deeds";
import type { MapTable } from "./scenery";

export type Role = "observer" | "commander" | "super-user";

export interface Person {
  name: string;
  team: string | null; // a super-user may have none
  role: Role;
}

export interface People {
  people: Person[];
  teams: string[];
  tokens: Record<string, number>; // how many of each user are worth something
}

export interface AuditEntry {
  id: number;
  at: number;
  who: string;
  operation: string;
  about: string;
  outcome: string;
}

export interface Audit {
  entries: AuditEntry[];
}

export interface Robot {
  tag: string;
  team: string;
  body: string;
  state: "connected" | "lost" | "away";
}

export interface Find {
  id: number;
  name: string;
  at: Spot;
  robot: string;
  team: string;
  media: number | null;
  found_at: number;
}

export interface Task {
  id: number;
  robot: string;
  name: string;
  arguments: Record<string, unknown>;
  state: "waiting" | "sent" | "done" | "failed" | "interrupted" | "stopped" | "cancelled";
  outcome: string;
  given_by: string;
  given_at: number;
  ended_at: number | null;
}

export interface Monitor {
  task: Task | null;
  waiting: Task[];
  done: Task[];
  options: { name: string; about: string }[];
  values: Record<string, unknown>;
}

export interface Sample {
  at: Spot;
  value: number;
}

export interface Medium {
  about: { id: number; name: string; kind: string; size: number; robot: string };
  content: string; // base64
}

export interface Happened {
  id: number;
  kind: string;
  team: string | null;
  robot: string | null;
  data: Record<string, unknown>;
}

export interface Standing {
  place: number;
  team: string;
  points: number;
  found: number;
  reported: number;
  pictures: number;
  wrong: number;
  contacts: number;
  failed: number;
}

export interface Board {
  contest: string;
  planned: number;
  matches: unknown[];
  standings: Standing[];
}

// What comes over the socket beside journals.
export type StationWord =
  | ({ kind: "known" } & Person)
  | { kind: "robots"; robots: Record<string, Robot | null>; isAll: boolean }
  | { kind: "map"; version: number; map: MapTable }
  | { kind: "objects"; objects: Find[]; isAll: boolean }
  | { kind: "happened"; happened: Happened[] };

// Where a task leads, in order; none where it leads nowhere.
export function wayOf(task: Task): Spot[] {
  const { at, path } = task.arguments;
  const places: unknown[] = Array.isArray(path) ? path : [at];
  return places.filter(isSpot);
}

function isSpot(value: unknown): value is Spot {
  const { x, y } = (value ?? {}) as Partial<Spot>;
  return typeof x === "number" && typeof y === "number";
}

export function place({ x, y }: Spot): string {
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
