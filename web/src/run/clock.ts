// Which instant of the run is shown now? All pages reckon by the clock of the server, so that they agree.

const SAMPLES = 90;
const KEPT = 60; // answers: a busy page seldom hears a quick one, and clocks drift little in a minute

// The server's clock, from the quickest of the last answers.
export class ServerClock {
  private readonly answers: { trip: number; ahead: number }[] = [];

  // `sent` and `received` are of our clock, `stamp` is the server's in between; all in seconds.
  heard(sent: number, stamp: number, received: number): void {
    this.answers.push({ trip: received - sent, ahead: stamp - (sent + received) / 2 });
    if (this.answers.length > KEPT) this.answers.shift();
  }

  clear(): void {
    this.answers.length = 0;
  }

  get isKnown(): boolean {
    return this.answers.length > 0;
  }

  at(ours: number): number {
    let best = this.answers[0];
    for (const answer of this.answers) if (best === undefined || answer.trip < best.trip) best = answer;
    return ours + (best?.ahead ?? 0);
  }
}

// How far a live run had got at which instant of the server's clock.
export class LiveClock {
  private readonly samples: { stamp: number; time: number }[] = [];

  clear(): void {
    this.samples.length = 0;
  }

  heard(stamp: number, time: number): void {
    this.samples.push({ stamp, time });
    if (this.samples.length > SAMPLES) this.samples.shift();
  }

  get latest(): number {
    return this.samples.at(-1)?.time ?? -Infinity;
  }

  at(stamp: number): number {
    const samples = this.samples;
    const first = samples[0];
    if (first === undefined) return -Infinity;
    if (stamp <= first.stamp) return first.time;
    for (let number = samples.length - 1; number >= 0; number -= 1) {
      const before = samples[number];
      const after = samples[number + 1];
      if (before === undefined || before.stamp > stamp) continue;
      if (after === undefined) return before.time;
      const share = (stamp - before.stamp) / (after.stamp - before.stamp);
      return before.time + share * (after.time - before.time);
    }
    return first.time;
  }

  // Seconds of the run a second of the clock on the wall, of late.
  get pace(): number {
    const first = this.samples.at(-31) ?? this.samples[0];
    const last = this.samples.at(-1);
    if (first === undefined || last === undefined || last.stamp <= first.stamp) return 0;
    return (last.time - first.time) / (last.stamp - first.stamp);
  }
}

// What a person has set: an instant and its stamp, and whether and how fast time goes on from there.
export interface Playing {
  isPlaying: boolean;
  isLive: boolean; // keeps up with a run that goes on
  at: number;
  stamp: number;
  speed: number;
}

export function instantOf(playing: Playing, stamp: number): number {
  return playing.isPlaying ? playing.at + Math.max(stamp - playing.stamp, 0) * playing.speed : playing.at;
}
