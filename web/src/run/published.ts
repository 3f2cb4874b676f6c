// What programs show under names: numbers, words and claims, and maps, paths and marks that lie on the plane.
//
// It stands until something else is shown under the same name. Robots have the colour of the word that they show, by the rule of pictures
// without a browser: a word's colour is found from the word, and a number's on a ramp from the least to the greatest.

import { NOBODY } from "./journal";
import { onRamp, rgb, WORD_COLORS, WordColors } from "../draw/palette";

export interface ShownMap {
  kind: "map";
  x: number; // of the lower left corner
  y: number;
  cell: number; // metres
  rows: number;
  columns: number;
  cells: Uint8Array; // row by row from the lowest: 0 free to 100 taken, 255 not seen
}

export interface Places {
  kind: "path" | "marks";
  places: [number, number][];
}

export type Value = number | string | boolean;
export type Published = Value | ShownMap | Places;

export const UNSEEN = 255;
export const TAKEN = 100;
const STATE = "state"; // what robots are coloured by where nothing else is asked for

export class Showings {
  readonly of = new Map<number, Map<string, Published>>();
  changes = 0; // of what lies on the plane
  lying = 0; // how much lies there: most runs have nothing to look for at every frame
  repaints = 0; // how often all colours may be others
  private name = STATE;
  private mapName: string | null = null;
  private readonly words = new WordColors();
  private range: [number, number] = [0, 0];
  private entries: { color: string; text: string }[] | null = null; // of the legend, until something changes

  clear(): void {
    this.of.clear();
    this.lying = 0;
    this.entries = null;
    this.changes += 1;
    this.repaints += 1;
  }

  // Takes what stands under a name from now on; null takes it away. Tells whether the colour of the robot may be another.
  put(body: number, name: string, value: Published | null): boolean {
    let own = this.of.get(body);
    if (own === undefined) this.of.set(body, (own = new Map<string, Published>()));
    const before = own.get(name);
    if (typeof value === "object" || typeof before === "object") this.changes += 1;
    this.lying += Number(typeof value === "object" && value !== null) - Number(typeof before === "object");
    if (value === null) own.delete(name);
    else own.set(name, value);
    if (name !== this.name) return false;
    this.entries = null;
    if (typeof value === "number") this.widen();
    return true;
  }

  drop(body: number): void {
    for (const value of this.of.get(body)?.values() ?? []) this.lying -= Number(typeof value === "object");
    if (!this.of.delete(body)) return;
    this.changes += 1;
    this.entries = null;
  }

  get coloredBy(): string {
    return this.name;
  }

  set coloredBy(name: string) {
    this.name = name;
    this.entries = null;
    this.repaints += 1;
    this.widen();
  }

  // The values of a robot, or of the run, by name.
  rows(body: number): [string, Published][] {
    return [...(this.of.get(body) ?? [])].sort(([one], [other]) => (one < other ? -1 : 1));
  }

  // All names of robots under which something of a kind stands.
  names(fits: (value: Published) => boolean): string[] {
    const found = new Set<string>();
    for (const [body, own] of this.of) if (body !== NOBODY) for (const [name, value] of own) if (fits(value)) found.add(name);
    return [...found].sort();
  }

  get mapNames(): string[] {
    return this.names((value) => typeof value === "object" && value.kind === "map");
  }

  // Whose maps are drawn: those that were asked for, or those of the first name, the shortest.
  get mapDrawn(): string {
    const names = this.mapNames;
    if (this.mapName !== null && names.includes(this.mapName)) return this.mapName;
    return names.sort((one, other) => one.length - other.length || (one < other ? -1 : 1))[0] ?? "";
  }

  set mapDrawn(name: string) {
    this.mapName = name;
    this.changes += 1;
  }

  styleOf(body: number): string | null {
    const value = this.of.get(body)?.get(this.name);
    if (value === undefined || typeof value === "object") return null;
    if (typeof value !== "number") return this.words.of(inWords(value));
    const [least, most] = this.range;
    return Number.isFinite(value) ? onRamp((value - least) / (most - least || 1)) : null;
  }

  colorOf(body: number): [number, number, number] | null {
    const style = this.styleOf(body);
    return style === null ? null : rgb(style);
  }

  // What the colours of robots mean, and how many have each.
  legend(): { color: string; text: string }[] {
    this.entries ??= this.counted();
    return this.entries;
  }

  private counted(): { color: string; text: string }[] {
    const counts = new Map<string, { color: string; count: number }>();
    let hasNumbers = false;
    for (const [body, own] of this.of) {
      const value = own.get(this.name);
      if (value === undefined || typeof value === "object" || body === NOBODY) continue;
      if (typeof value === "number") hasNumbers = true;
      else {
        const word = inWords(value);
        counts.set(word, { color: this.words.of(word), count: (counts.get(word)?.count ?? 0) + 1 });
      }
    }
    const [least, most] = this.range;
    if (hasNumbers && counts.size === 0)
      return [...new Set([least, most])].map((value) => ({ color: onRamp((value - least) / (most - least || 1)), text: numberInWords(value) }));
    return [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([word, { color, count }]) => ({ color, text: `${word}: ${count}` }));
  }

  // Where there are more words than colours, or none, robots are coloured otherwise.
  get hasColors(): boolean {
    const entries = this.legend();
    return entries.length > 0 && entries.length <= WORD_COLORS;
  }

  private widen(): void {
    const numbers: number[] = [];
    for (const [body, own] of this.of) {
      const value = own.get(this.name);
      if (body !== NOBODY && typeof value === "number" && Number.isFinite(value)) numbers.push(value);
    }
    const range: [number, number] = numbers.length === 0 ? [0, 0] : [Math.min(...numbers), Math.max(...numbers)];
    if (range[0] !== this.range[0] || range[1] !== this.range[1]) this.repaints += 1;
    this.range = range;
  }
}

export function numberInWords(value: number): string {
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(4)));
}

// For a person.
export function inWords(value: Published | null): string {
  if (value === null) return "–";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return numberInWords(value);
  if (typeof value === "string") return value;
  if (value.kind === "map") return `${numberInWords(seenArea(value))} m² seen`;
  if (value.kind === "marks") return value.places.map(([x, y]) => `(${numberInWords(x)}, ${numberInWords(y)})`).join(", ");
  return `${counted(value.places.length, "place")}, ${numberInWords(lengthOf(value.places))} m`;
}

export function seenArea({ cells, cell }: ShownMap): number {
  let seen = 0;
  for (const one of cells) if (one !== UNSEEN) seen += 1;
  return seen * cell * cell;
}

export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? "" : "s"}`;
}

function lengthOf(places: readonly [number, number][]): number {
  return places.slice(1).reduce((sum, [x, y], number) => {
    const [lastX, lastY] = places[number] ?? [x, y];
    return sum + Math.hypot(x - lastX, y - lastY);
  }, 0);
}
