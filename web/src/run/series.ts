// What programs show, over time: numbers as they are, and of words how many robots show each.
//
// Each chunk is read once, when its bytes are there. Of many robots the least, the mean and the greatest are told.

import type { Chunk } from "./chunk";
import { NOBODY } from "./journal";
import { inWords, type Value } from "./published";
import type { Timeline } from "./timeline";

const MOST_LINES = 8; // robots with a line each
const MOST_POINTS = 1000;

export interface Plotted {
  name: string;
  isCount: boolean; // of robots
  lines: string[];
  times: number[];
  values: (number | null)[][]; // one row a line
}

interface Change {
  time: number;
  body: number;
  value: Value | null;
}

export class Series {
  count = 0; // of changes that were read
  isWhole = false; // all chunks that there are were read
  private readonly changes = new Map<string, Change[]>();
  private readonly read = new WeakSet<Chunk>();

  // Reads chunks that were not read; those that are not there are sent for by who counts events.
  take({ chunks, sendings }: Timeline): void {
    this.isWhole = true;
    for (const chunk of chunks) {
      if (chunk.isState || this.read.has(chunk)) continue;
      const digest = chunk.passingDigest(sendings);
      if (digest === null) {
        this.isWhole = false;
        continue;
      }
      this.read.add(chunk);
      for (const { time, body, shown } of digest.happenings)
        if (shown !== null && typeof shown.value !== "object") this.add(shown.name, { time, body, value: shown.value });
        else if (shown?.value === null) this.add(shown.name, { time, body, value: null });
    }
  }

  // What stands last goes on to the end, once it is known that nothing comes after it.
  plots(nameOf: (body: number) => string, end: number): Plotted[] {
    return [...this.changes].map(([name, changes]) => {
      changes.sort((one, other) => one.time - other.time);
      return plotted(name, changes, nameOf, this.isWhole ? end : -Infinity);
    }).filter(({ lines }) => lines.length > 0).sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  private add(name: string, change: Change): void {
    this.count += 1;
    const known = this.changes.get(name);
    if (known === undefined) this.changes.set(name, [change]);
    else known.push(change);
  }
}

function plotted(name: string, changes: readonly Change[], nameOf: (body: number) => string, end: number): Plotted {
  const isCount = changes.some(({ value }) => value !== null && typeof value !== "number");
  const bodies = [...new Set(changes.map(({ body }) => body))].sort((one, other) => one - other);
  const words = [...new Set(changes.flatMap(({ value }) => (value === null ? [] : [inWords(value)])))].sort();
  const isMany = bodies.length > MOST_LINES;
  const lines = isCount ? words.slice(0, MOST_LINES) : isMany ? ["least", "mean", "greatest"] : bodies.map((body) => (body === NOBODY ? "run" : nameOf(body)));
  const now = new Map<number, Value>();
  const counts = new Map<string, number>();
  const times: number[] = [];
  const values: (number | null)[][] = lines.map(() => []);
  const tell = (time: number): void => {
    const row = isCount ? lines.map((word) => counts.get(word) ?? 0) : isMany ? spreadOf(now) : bodies.map((body) => numberOf(now.get(body)));
    times.push(time);
    values.forEach((line, number) => line.push(row[number] ?? null));
  };
  const count = (value: Value | null | undefined, by: number): void => {
    if (value != null) counts.set(inWords(value), (counts.get(inWords(value)) ?? 0) + by);
  };
  const kept = keptTimes(changes.map(({ time }) => time));
  changes.forEach(({ time, body, value }, at) => {
    count(now.get(body), -1);
    count(value, 1);
    if (value === null) now.delete(body);
    else now.set(body, value);
    if (changes[at + 1]?.time !== time && kept.has(time)) tell(time);
  });
  if ((times.at(-1) ?? Infinity) < end) tell(end);
  return { name, isCount, lines, times, values };
}

function spreadOf(now: ReadonlyMap<number, Value>): (number | null)[] {
  const numbers = [...now.values()].filter((value): value is number => typeof value === "number" && Number.isFinite(value));
  if (numbers.length === 0) return [null, null, null];
  return [Math.min(...numbers), numbers.reduce((sum, one) => sum + one, 0) / numbers.length, Math.max(...numbers)];
}

function numberOf(value: Value | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

// Not more points than a screen has columns; the last of each few is kept.
function keptTimes(times: readonly number[]): Set<number> {
  const distinct = [...new Set(times)];
  const step = Math.max(Math.ceil(distinct.length / MOST_POINTS), 1);
  return new Set(distinct.filter((_, at) => at % step === step - 1 || at === distinct.length - 1));
}
