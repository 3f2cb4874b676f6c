// One run, shown: where it comes from, how far it is known, and which instant of it is looked at.

import { Chunk, FRESH } from "./chunk";
import { instantOf, LiveClock, ServerClock, type Playing } from "./clock";
import { Connection, fetchChunk, type Clock, type Meta, type Receiver } from "./connection";
import { AT_REST, type Acting } from "./deeds";
import { Groups } from "./groups";
import type { MapTable } from "./scenery";
import { solidOf, type Solid } from "./sensors";
import type { StationWord } from "./station_records";
import { StationSession, type Shower } from "./station_session";
import { Swarm } from "./swarm";
import { Timeline } from "./timeline";

const LAG = 0.15; // seconds behind a live run, so that what is shown is known
const AGAIN = 600; // milliseconds until a seek that needs the server is tried again
const MEMORY = 128 << 20; // bytes of a live run that are kept to go back in

export type State = "loading" | "there" | "gone" | "refused";

export class Session implements Receiver, Shower {
  readonly swarm = new Swarm();
  readonly timeline = new Timeline(this.swarm);
  readonly live = new LiveClock();
  meta: Meta | null = null;
  done: Acting = AT_REST; // what was done by hand
  stationSession: StationSession | null = null; // where a station is shown
  groups = new Groups([]);
  solid: Solid = { segments: [], rounds: [] }; // what stops beams
  state: State = "loading";
  notice = "";
  now = 0;
  shownStamp = 0; // of the server's clock, when `now` was reckoned
  isOver = true; // nothing more comes
  readonly clocks: Clock[] = []; // of the last minutes of a live run
  bytesReceived = 0;
  onChange: () => void = () => undefined;
  onOpened: () => void = () => undefined;
  onMapped: () => void = () => undefined; // there is a map where there was none
  onView: ((view: [number, number, number]) => void) | null = null;
  private readonly server = new ServerClock();
  private readonly connection: Connection;
  private playingNow: Playing = { isPlaying: true, isLive: false, at: 0, stamp: 0, speed: 1 };
  private aim: number | null = null; // where a seek under way leads
  private jumps = 0;
  private isShared = false; // what is set has a stamp of the server
  private oldest = 0; // from where on a live run is known

  constructor(private readonly isTogether: boolean) {
    this.connection = new Connection(this, isTogether);
    this.timeline.onBroken = (sentence) => {
      this.notice = `${sentence} What is before can be seen.`;
      this.onChange();
    };
  }

  begin(): void {
    void this.connection.open();
  }

  get start(): number {
    return this.meta?.isLive === true ? this.oldest : (this.meta?.start ?? 0);
  }

  get end(): number {
    const end = this.meta?.isLive === true ? Math.max(this.live.latest, this.start) : (this.meta?.end ?? 0);
    return Math.min(end, Math.max(this.timeline.brokenFrom, this.start));
  }

  get playing(): Readonly<Playing> {
    return this.playingNow;
  }

  // The instant that is shown, or will be in a moment.
  private get present(): number {
    return this.aim ?? this.now;
  }

  // Seconds of the run a second on the wall, as it is shown.
  get pace(): number {
    if (!this.playingNow.isPlaying) return 0;
    return this.playingNow.isLive ? this.live.pace : this.playingNow.speed;
  }

  get stamp(): number {
    return this.server.at(performance.now() / 1000);
  }

  // Brings the swarm to the present instant.
  frame(): void {
    if (this.meta === null || this.aim !== null) return;
    const stamp = (this.shownStamp = this.stamp);
    const playing = this.playingNow;
    let instant = playing.isLive && playing.isPlaying ? this.live.at(stamp - LAG) : instantOf(playing, stamp);
    if (instant >= this.end && !playing.isLive && playing.isPlaying) {
      instant = this.end;
      // Every window comes to the end by itself; to tell the others could undo what one of them has set since.
      if (this.isOver) this.change({ isPlaying: false, at: instant });
      else this.change({ isLive: true });
    }
    if (!(instant >= this.start)) instant = this.start;
    if (instant < this.timeline.reached) {
      if (instant < this.timeline.reached - 1e-9) this.jump(instant);
      return;
    }
    if (this.timeline.isFarBehind(instant)) this.jump(instant);
    else if (this.timeline.advance(instant)) this.now = instant;
    else if (!this.isTogether && !playing.isLive) this.hold(stamp);
    if (this.swarm.flights.length > 0) this.swarm.forget(this.now - 2 * Math.max(this.pace, 1));
  }

  play(): void {
    const isAtEnd = this.present >= this.end;
    if (isAtEnd && this.isOver) this.seek(this.start);
    this.set({ isPlaying: true, isLive: isAtEnd && !this.isOver, at: isAtEnd && this.isOver ? this.start : this.present });
  }

  pause(): void {
    this.set({ isPlaying: false, isLive: false, at: this.present });
  }

  seek(instant: number): void {
    const at = Math.min(Math.max(instant, this.start), this.end);
    this.set({ isLive: false, at });
    this.jump(at);
  }

  setSpeed(speed: number): void {
    this.set({ speed, at: this.present, isLive: this.playingNow.isLive && speed === 1 });
  }

  goLive(): void {
    this.set({ isPlaying: true, isLive: true, speed: 1 });
  }

  async step(isAfter: boolean): Promise<void> {
    this.pause();
    const instant = await this.timeline.eventBeside(this.now, isAfter);
    if (instant !== null && instant >= this.start && instant <= this.end) this.seek(instant);
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
      this.swarm.lost.clear();
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
      this.timeline.chunks = meta.chunks.map(([kind, time], number) => {
        return new Chunk(kind, time, null, async () => {
          const bytes = await fetchChunk(number);
          this.bytesReceived += bytes.length;
          return bytes;
        });
      });
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

  private set(change: Partial<Playing>): void {
    this.change(change);
    if (this.isTogether) this.connection.say({ kind: "playing", ...this.playingNow });
  }

  private change(change: Partial<Playing>): void {
    this.playingNow = { ...this.playingNow, ...change, stamp: this.stamp };
    if (!("at" in change)) this.playingNow.at = this.present;
    this.onChange();
  }

  // Lets the present instant be that of now, whatever time went by on the wall.
  private hold(stamp: number): void {
    this.playingNow = { ...this.playingNow, at: this.now, stamp };
  }

  private jump(instant: number): void {
    const jump = ++this.jumps;
    this.aim = instant;
    void this.timeline.seek(instant).then((isThere) => {
      if (jump !== this.jumps) return;
      if (!isThere) {
        setTimeout(() => { if (jump === this.jumps) this.jump(instant); }, AGAIN);
        return;
      }
      this.aim = null;
      this.now = Math.max(this.timeline.reached, this.start);
      if (!this.isTogether) this.hold(this.stamp);
      this.onChange();
    });
  }
}
