// Which instant of a run is looked at: playing, pausing, seeking, stepping, and keeping up with a run that goes on.

import { instantOf, LiveClock, ServerClock, type Playing } from "./clock";
import type { Happening } from "./digest";
import { Swarm } from "./swarm";
import { Timeline } from "./timeline";

const LAG = 0.15; // seconds behind a live run, so that what is shown is known
const AGAIN = 600; // milliseconds until a seek that needs the server is tried again

export abstract class Playback {
  readonly swarm = new Swarm();
  readonly timeline = new Timeline(this.swarm);
  readonly live = new LiveClock();
  now = 0;
  shownStamp = 0; // of the server's clock, when `now` was reckoned
  isOver = true; // nothing more comes
  onChange: () => void = () => undefined;
  protected readonly server = new ServerClock();
  protected playingNow: Playing = { isPlaying: true, isLive: false, at: 0, stamp: 0, speed: 1 };
  private stepped: readonly Happening[] = []; // what the last step led to
  protected aim: number | null = null; // where a seek under way leads
  private jumps = 0;

  constructor(protected readonly isTogether: boolean) {}

  abstract get isKnown(): boolean; // there is a run to be shown
  abstract get start(): number;
  abstract get end(): number;
  protected abstract tell(playing: Playing): void; // to the other windows that show the same instant

  get playing(): Readonly<Playing> {
    return this.playingNow;
  }

  // What happens at the instant shown, where a step led to it.
  get reached(): readonly Happening[] {
    return !this.playingNow.isPlaying && this.stepped[0]?.time === this.present ? this.stepped : [];
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
    if (!this.isKnown || this.aim !== null) return;
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
    if (this.swarm.flights.length > 0) this.swarm.forget(this.timeline.since(this.now), this.now - 2 * Math.max(this.pace, 1));
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
    this.set({ speed, at: this.present, isLive: false });
  }

  goLive(): void {
    this.set({ isPlaying: true, isLive: true, speed: 1 });
  }

  async step(isAfter: boolean): Promise<void> {
    this.pause();
    const found = await this.timeline.eventsBeside(this.now, isAfter);
    const instant = found[0]?.time;
    if (instant === undefined || instant < this.start || instant > this.end) return;
    this.seek(instant);
    this.stepped = found;
  }

  private set(change: Partial<Playing>): void {
    this.change(change);
    if (this.isTogether) this.tell(this.playingNow);
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

  protected jump(instant: number): void {
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
