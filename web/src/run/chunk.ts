// A piece of a run: what happened in it, or the state of all bodies before it. Its bytes are fetched when they are needed.

import { digestOf, type Digest, type Sendings } from "./digest";

export const FRESH = 1; // a state before which something is not known
export const KEYFRAME = 2;
export const JOURNAL = 3;

const RETRY_AFTER = 500; // milliseconds until a chunk that did not come is asked for again
const HEAD = 26; // bytes of the head of a chunk in a run file: kind, packing, two lengths, time, two checks

export async function unpacked(stored: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const inside = stored.subarray(HEAD);
  if (stored[1] === 0) return inside;
  const stream = new Blob([inside]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Chunk {
  private loading: Promise<Uint8Array> | null = null;
  private known: Digest | null = null;
  private failed = -Infinity; // when it could not be fetched

  // Without a way to fetch them, the bytes are given and stay; `size` is how many there are about.
  constructor(
    readonly kind: number, readonly time: number, public bytes: Uint8Array | null,
    private readonly fetch: (() => Promise<Uint8Array>) | null = null, readonly size = bytes?.length ?? 0,
  ) {}

  get isState(): boolean {
    return this.kind !== JOURNAL;
  }

  load(): Promise<Uint8Array> {
    if (this.bytes !== null) return Promise.resolve(this.bytes);
    if (this.fetch === null) return Promise.reject(new Error("a chunk without bytes"));
    if (performance.now() - this.failed < RETRY_AFTER) return Promise.reject(new TypeError("not yet again"));
    this.loading ??= this.fetch()
      .then((bytes) => (this.bytes = bytes))
      .catch((error: unknown) => {
        this.failed = performance.now();
        throw error;
      })
      .finally(() => (this.loading = null));
    return this.loading;
  }

  forget(): void {
    this.bytes = null;
    this.known = null;
  }

  forgetDigest(): void {
    this.known = null;
  }

  // What happened in it, for who asks only once: it is not kept.
  passingDigest(sendings: Sendings): Digest | null {
    if (this.bytes === null || this.isState) return null;
    return this.known ?? digestOf(this.bytes, this.time, sendings);
  }

  // What happened in it, once its bytes are there.
  digest(sendings: Sendings): Digest | null {
    if (this.bytes === null || this.isState) return null;
    this.known ??= digestOf(this.bytes, this.time, sendings);
    return this.known;
  }
}
