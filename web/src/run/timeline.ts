// A run from its beginning as far as it is known, and the state of all bodies at one instant of it.
//
// `advance` goes on with what is there and never waits; `seek` goes anywhere, and waits for what it needs. It begins so far back that what
// comes and goes is the same as if one had played up to there. A chunk that cannot be read ends the run: what is before it can be seen.

import { FRESH, KEYFRAME, type Chunk } from "./chunk";
import { Sendings, type Happening } from "./digest";
import { JournalReader } from "./journal";
import type { Swarm } from "./swarm";

const FAR = 2 << 20; // bytes that can be read within a frame or two
const WHILE = 60; // seconds for which what comes and goes is remembered
const MOST = 8 << 20; // or so many bytes, if that is less
const SEARCHED = 32 << 20; // bytes of the run before an instant in which the latest things are looked for
const LOADED = 96 << 20; // bytes of fetched chunks that are kept

export class Timeline {
  chunks: Chunk[] = [];
  reached = -Infinity; // the instant of the swarm
  brokenFrom = Infinity;
  onBroken: ((sentence: string) => void) | null = null;
  private reader: JournalReader | null = null;
  private next = 0; // the chunk to read after the present one
  readonly sendings = new Sendings();
  private ticket = 0;
  private total = 0; // bytes appended
  private readonly loaded: Chunk[] = [];
  private readonly digested = new Set<Chunk>(); // those of which is kept what happened, the last that was asked for at the end
  private digestedBytes = 0;

  constructor(private readonly swarm: Swarm) {}

  clear(): void {
    this.chunks = [];
    this.total = 0;
    this.reader = null;
    this.next = 0;
    this.reached = -Infinity;
    this.brokenFrom = Infinity;
    this.digested.clear();
    this.digestedBytes = 0;
    this.ticket += 1;
    this.swarm.clear();
  }

  // Brings the swarm to a later instant. False while something that it needs is on its way.
  advance(instant: number): boolean {
    try {
      return this.go(Math.min(instant, this.brokenFrom));
    } catch (error) {
      this.breakAt(this.reader?.time ?? this.reached, error);
      return true;
    }
  }

  // From which instant on what comes and goes is remembered at another one.
  since(instant: number): number {
    let bytes = 0;
    let number = this.chunkAt(instant);
    for (; number > 0; number -= 1) {
      const chunk = this.chunks[number];
      if (chunk === undefined || chunk.time <= instant - WHILE) break;
      if (!chunk.isState) bytes += chunk.size;
      if (bytes > MOST) break;
    }
    const first = this.chunks[number];
    return first === undefined || (number === 0 && !first.isState) ? instant - WHILE : Math.max(first.time, instant - WHILE);
  }

  // Is so much to be read up to an instant that a state between would be quicker?
  isFarBehind(instant: number): boolean {
    let waiting = 0;
    for (let number = this.next; number < this.chunks.length && waiting <= FAR; number += 1) {
      const chunk = this.chunks[number];
      if (chunk === undefined || chunk.time > instant) return false;
      if (!chunk.isState) waiting += chunk.bytes?.length ?? 0;
    }
    return waiting > FAR && this.beginningFor(instant) > this.next;
  }

  // False when the server is gone: what was reached stays.
  async seek(instant: number): Promise<boolean> {
    const ticket = ++this.ticket;
    const from = this.beginningFor(instant);
    const isAnew = instant < this.reached || from >= this.next || this.reached === -Infinity;
    for (let number = isAnew ? from : this.next; number < this.chunks.length; number += 1) {
      const chunk = this.chunks[number];
      if (chunk === undefined || (chunk.time > instant && number > from)) break;
      if (chunk.kind === KEYFRAME && number !== from) continue;
      await this.load(chunk);
      if (ticket !== this.ticket) return true;
      if (chunk.bytes === null && chunk.time < this.brokenFrom) return false;
    }
    if (isAnew) this.rewind(from);
    this.advance(instant);
    return true;
  }

  // What happened next after an instant, or last before it, all of it at one time; nothing where there is none.
  async eventsBeside(instant: number, isAfter: boolean): Promise<Happening[]> {
    const step = isAfter ? 1 : -1;
    for (let number = this.chunkAt(instant); number >= 0 && number < this.chunks.length; number += step) {
      const chunk = this.chunks[number];
      if (chunk === undefined || chunk.isState) continue;
      await this.load(chunk);
      const times = this.happeningsOf(chunk).map((one) => one.time);
      const found = isAfter ? times.find((time) => time > instant) : times.findLast((time) => time < instant);
      if (found !== undefined) return found < this.brokenFrom ? this.between(found, found) : [];
    }
    return [];
  }

  // What happened from one instant to another, as far as it is loaded; what is not is sent for.
  between(start: number, end: number): Happening[] {
    const found: Happening[] = [];
    let first = this.chunkAt(start);
    // Records of one time may be spread over chunks: begin with the first of them.
    while (first > 0 && this.chunks[first]?.time === start) first -= 1;
    for (let number = first; number < this.chunks.length; number += 1) {
      const chunk = this.chunks[number];
      if (chunk === undefined || chunk.time > end) break;
      for (const one of this.happeningsOf(chunk)) if (one.time >= start && one.time <= end) found.push(one);
    }
    return found;
  }

  // The last things that happened up to an instant and that fit, the latest first.
  latest(instant: number, most: number, fits: (happening: Happening) => boolean): Happening[] {
    const found: Happening[] = [];
    let searched = 0;
    for (let number = this.chunkAt(instant); number >= 0 && searched < SEARCHED; number -= 1) {
      const chunk = this.chunks[number];
      if (chunk === undefined || chunk.isState) continue;
      if (chunk.bytes === null && found.length > 0) break;
      searched += chunk.bytes?.length ?? chunk.size;
      const happenings = this.happeningsOf(chunk);
      for (let at = happenings.length - 1; at >= 0; at -= 1) {
        const one = happenings[at];
        if (one === undefined || one.time > instant || !fits(one)) continue;
        found.push(one);
        if (found.length === most) return found;
      }
    }
    return found;
  }

  // Adds a piece at the end; forgets the oldest where more than `most` bytes have come together.
  append(chunk: Chunk, most: number): void {
    this.chunks.push(chunk);
    this.total += chunk.bytes?.length ?? 0;
    if (this.total <= most) return;
    const keyframe = this.chunks.findIndex((one, number) => number > 0 && one.isState);
    if (keyframe <= 0) return;
    for (const old of this.chunks.splice(0, keyframe)) {
      this.total -= old.bytes?.length ?? 0;
      this.forgetDigest(old);
    }
    this.next = Math.max(this.next - keyframe, 0);
  }

  private go(instant: number): boolean {
    for (;;) {
      if (this.reader !== null && !this.reader.read(this.swarm, instant)) break;
      this.reader = null;
      const chunk = this.chunks[this.next];
      if (chunk === undefined || chunk.time > instant) break;
      if (chunk.kind !== KEYFRAME) {
        if (chunk.bytes === null) {
          void this.load(chunk);
          return false;
        }
        if (chunk.kind === FRESH) this.take(chunk.bytes, chunk.time);
        else this.reader = new JournalReader(chunk.bytes, chunk.time);
      }
      this.next += 1;
      const ahead = this.chunks[this.next];
      if (ahead?.bytes === null && ahead.kind !== KEYFRAME) void this.load(ahead);
    }
    this.reached = Math.max(instant, this.reached);
    return true;
  }

  private rewind(number: number): void {
    this.swarm.clear();
    this.reader = null;
    this.next = number;
    this.reached = -Infinity;
    const chunk = this.chunks[number];
    if (chunk?.isState !== true || chunk.bytes === null) return;
    this.take(chunk.bytes, chunk.time);
    this.next = number + 1;
  }

  private take(state: Uint8Array, time: number): void {
    this.swarm.clear();
    new JournalReader(state, time).read(this.swarm);
  }

  private happeningsOf(chunk: Chunk): readonly Happening[] {
    if (chunk.bytes === null && !chunk.isState) void this.load(chunk);
    try {
      const digest = chunk.digest(this.sendings);
      if (digest !== null) this.keepDigest(chunk);
      return digest?.happenings ?? [];
    } catch (error) {
      this.breakAt(chunk.time, error);
      return [];
    }
  }

  // Keeps what happened in a chunk, and forgets that of others where it would be too much.
  private keepDigest(chunk: Chunk): void {
    if (!this.digested.delete(chunk)) this.digestedBytes += chunk.bytes?.length ?? 0;
    this.digested.add(chunk);
    for (const old of this.digested) {
      if (this.digestedBytes <= 2 * SEARCHED || old === chunk) return;
      this.forgetDigest(old);
    }
  }

  private forgetDigest(chunk: Chunk): void {
    if (!this.digested.delete(chunk)) return;
    this.digestedBytes -= chunk.bytes?.length ?? 0;
    chunk.forgetDigest();
  }

  // The last chunk that begins not after an instant.
  private chunkAt(instant: number): number {
    let number = this.chunks.length - 1;
    while (number > 0 && (this.chunks[number]?.time ?? 0) > instant) number -= 1;
    return Math.max(number, 0);
  }

  // The state from which all that is remembered at an instant can be read; before a fresh one nothing is.
  private beginningFor(instant: number): number {
    const since = this.since(instant);
    return Math.max(this.chunks.findLastIndex((one) => one.isState && one.time <= (one.kind === FRESH ? instant : since)), 0);
  }

  private async load(chunk: Chunk): Promise<void> {
    if (chunk.bytes !== null || chunk.time >= this.brokenFrom) return;
    try {
      await chunk.load();
    } catch (error) {
      if (error instanceof TypeError) return; // the server is not there; the next frame asks again
      this.breakAt(chunk.time, error);
      return;
    }
    if (!this.loaded.includes(chunk)) this.loaded.push(chunk);
    let kept = this.loaded.reduce((sum, one) => sum + (one.bytes?.length ?? 0), 0);
    while (kept > LOADED && this.loaded.length > 1) {
      const [oldest] = this.loaded.splice(0, 1);
      if (oldest === undefined) break;
      kept -= oldest.bytes?.length ?? 0;
      this.forgetDigest(oldest);
      oldest.forget();
    }
  }

  private breakAt(time: number, error: unknown): void {
    if (time >= this.brokenFrom) return;
    this.brokenFrom = time;
    this.reader = null;
    this.onBroken?.(error instanceof Error ? error.message : String(error));
  }
}
