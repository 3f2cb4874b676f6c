// How often did something happen, second by second of the run? Each chunk is counted once, when its bytes are there.

import type { Chunk } from "./chunk";
import type { Timeline } from "./timeline";

const MOST = 600; // bins

export class Counts {
  width = 1; // seconds a bin
  private events: number[] = [];
  private contacts: number[] = [];
  private readonly counted = new WeakSet<Chunk>();

  // Counts chunks that were not counted; those that are not there are sent for, one at a time.
  take({ chunks, sendings }: Timeline, end: number): void {
    let isAsking = false;
    for (const chunk of chunks) {
      if (chunk.isState || this.counted.has(chunk)) continue;
      const digest = chunk.passingDigest(sendings);
      if (digest === null) {
        if (!isAsking) chunk.load().catch(() => undefined);
        isAsking = true;
        continue;
      }
      this.counted.add(chunk);
      for (const one of digest.happenings) this.count(one.time, one.kind === "contact");
    }
    while (end / this.width > MOST) this.widen();
  }

  rates(): { times: number[]; events: number[]; contacts: number[] } {
    const first = Math.max(this.events.findIndex((count) => count > 0), 0);
    const numbers = Array.from({ length: this.events.length - first }, (_, number) => first + number);
    return {
      times: numbers.map((number) => number * this.width),
      events: numbers.map((number) => (this.events[number] ?? 0) / this.width),
      contacts: numbers.map((number) => (this.contacts[number] ?? 0) / this.width),
    };
  }

  private count(time: number, isContact: boolean): void {
    const bin = Math.max(Math.floor(time / this.width), 0);
    this.events[bin] = (this.events[bin] ?? 0) + 1;
    if (isContact) this.contacts[bin] = (this.contacts[bin] ?? 0) + 1;
  }

  private widen(): void {
    this.width *= 2;
    for (const key of ["events", "contacts"] as const) {
      const fine = this[key];
      this[key] = Array.from({ length: Math.ceil(fine.length / 2) }, (_, bin) => (fine[2 * bin] ?? 0) + (fine[2 * bin + 1] ?? 0));
    }
  }
}
