// One run, shown: where it comes from, and how far it is known.

import { Chunk, FRESH } from "./run/chunk";
import type { Playing } from "./run/clock";
import { Connection, fetchChunk, type Clock, type Meta, type Receiver } from "./connection";
import { AT_REST, type Acting } from "./actions/actions";
import { Groups } from "./draw/groups";
import { Playback } from "./run/playback";
import type { MapTable } from "./draw/scenery";
import { solidOf, type Solid } from "./draw/sensors";
import type { StationWord } from "./station/records";
import { StationSession, type Shower } from "./station/session";

const MEMORY = 128 << 20; // bytes of a live run that are kept to go back in

export type State = "loading" | "there" | "gone" | "refused";

export class Session extends Playback implements Receiver, Shower {
  meta: Meta | null = null;
  done: Acting = AT_REST; // what was done by hand
  stationSession: StationSession | null = null; // where a station is shown
  groups = new Groups([]);
  solid: Solid = { segments: [], rounds: [] }; // what stops beams
  state: State = "loading";
  notice = "";
  readonly clocks: Clock[] = []; // of the last minutes of a live run
  bytesReceived = 0;
  onOpened: () => void = () => undefined;
  onMapped: () => void = () => undefined; // there is a map where there was none
  onView: ((view: [number, number, number]) => void) | null = null;
  private readonly connection: Connection;
  private isShared = false; // what is set has a stamp of the server
  private oldest = 0; // from where on a live run is known

  constructor(isTogether: boolean) {
    super(isTogether);
    this.connection = new Connection(this, isTogether);
    this.timeline.onBroken = (sentence) => {
      this.notice = `${sentence} What is before can be seen.`;
      this.onChange();
    };
  }

  begin(): void {
    void this.connection.open();
  }

  get isKnown(): boolean {
    return this.meta !== null;
  }

  get start(): number {
    return this.meta?.isLive === true ? this.oldest : (this.meta?.start ?? 0);
  }

  get end(): number {
    const end = this.meta?.isLive === true ? Math.max(this.live.latest, this.start) : (this.meta?.end ?? 0);
    return Math.min(end, Math.max(this.timeline.brokenFrom, this.start));
  }

  share(view: [number, number, number]): void {
    if (this.isTogether) this.connection.say({ kind: "playing", ...this.playingNow, view });
  }

  opened(meta: Meta): void {
    const isSame = this.meta?.id === meta.id;
    const wasGone = this.state === "gone";
    this.meta = isSame && meta.isStation ? this.meta : meta;
    this.state = "there";
    if (meta.isStation && this.stationSession === null) {
      this.stationSession = new StationSession(this);
      this.stationSession.onChange = () => { this.onChange(); };
    }
    if (wasGone) this.notice = "";
    if (!isSame) {
      this.timeline.clear();
      this.groups = new Groups(meta.groups);
      this.solid = solidOf(meta.map);
      this.aim = null;
      this.live.clear();
      this.server.clear();
      this.isShared = false;
      this.clocks.length = 0;
      this.isOver = !meta.isLive;
      this.done = AT_REST;
      this.now = this.oldest = meta.start;
      this.notice = meta.isWhole ? "" : "The writing of this run was cut off; it is shown to where it is good.";
      this.timeline.chunks = meta.chunks.map(([kind, time, size], number) => new Chunk(kind, time, null, () => this.fetched(number), size));
      this.playingNow = { isPlaying: true, isLive: meta.isLive, at: meta.start, stamp: this.stamp, speed: 1 };
      if (!meta.isLive) this.jump(meta.start);
      this.onOpened();
    }
    this.onChange();
  }

  acting(acting: Acting): void {
    this.done = acting;
    this.onChange();
  }

  lost(): void {
    if (this.state === "refused") return;
    if (this.meta !== null) {
      this.state = "gone";
      this.notice = "The server is gone. This is the last that was seen; the page goes on when it is back.";
    } else this.notice = "The server does not answer yet.";
    this.onChange();
  }

  refused(sentence: string): void {
    this.state = "refused";
    this.notice = sentence;
    this.onChange();
  }

  clock(clock: Clock): void {
    this.live.heard(clock.stamp, clock.time);
    this.clocks.push(clock);
    if (this.clocks.length > 6000) this.clocks.splice(0, 3000);
    if (clock.isOver !== this.isOver) {
      this.isOver = clock.isOver;
      this.onChange();
    }
  }

  pong(sent: number, stamp: number): void {
    const isFirst = !this.server.isKnown;
    const before = this.stamp;
    this.server.heard(sent, stamp, performance.now() / 1000);
    if (isFirst && !this.isShared) this.playingNow.stamp += this.stamp - before;
  }

  shared(playing: Playing, view: [number, number, number] | undefined): void {
    if (view !== undefined) this.onView?.(view);
    this.playingNow = { ...playing };
    this.isShared = true;
    this.onChange();
  }

  bytes(kind: number, time: number, bytes: Uint8Array): void {
    this.bytesReceived += bytes.length;
    this.timeline.append(new Chunk(kind, time, bytes), MEMORY);
    this.oldest = this.timeline.chunks[0]?.time ?? this.oldest;
    if (kind === FRESH && this.timeline.reached > time) this.timeline.reached = time;
  }

  station(word: StationWord): void {
    this.stationSession?.hear(word);
  }

  token(): string | null {
    return this.stationSession?.token ?? null;
  }

  unknown(sentence: string): void {
    this.stationSession?.unknown(sentence);
  }

  // What a station tells of what is shown.
  named(robots: Record<string, string>): void {
    if (this.meta !== null) this.meta = { ...this.meta, robots };
  }

  mapped(map: MapTable): void {
    if (this.meta === null) return;
    const isFirst = Object.keys(this.meta.map).length === 0;
    this.meta = { ...this.meta, map };
    if (isFirst) this.onMapped();
  }

  enter(): void {
    this.connection.enter();
  }

  // Nothing more comes until somebody logs in; of another person's sight nothing stays.
  leave(isForgotten: boolean): void {
    if (!isForgotten) this.connection.leave();
    else {
      this.timeline.clear();
      if (this.meta !== null) this.meta = { ...this.meta, map: {}, robots: {} };
    }
  }

  protected tell(playing: Playing): void {
    this.connection.say({ kind: "playing", ...playing });
  }

  private async fetched(number: number): Promise<Uint8Array> {
    const bytes = await fetchChunk(number);
    this.bytesReceived += bytes.length;
    return bytes;
  }
}
