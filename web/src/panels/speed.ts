// How fast is time to go? Where a page keeps up with a run, that is the pace of the run itself, and who may act sets it for all who look;
// else it is how fast this page plays what it knows.

import type { Hand } from "../actions/hand";
import type { Session } from "../session";

export const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100];

// Whether the speed of what is shown is that of the run.
export function isOfRun({ meta, isOver, playing }: Session): boolean {
  return meta?.isLive === true && !meta.isStation && !isOver && playing.isLive;
}

export function speedOf(session: Session): number | null {
  return isOfRun(session) ? (session.clocks.at(-1)?.pace ?? null) : session.playing.speed;
}

// Why the speed cannot be set; empty where it can.
export function whyNot(session: Session, hand: Hand): string {
  if (session.stationSession !== null && session.playing.isLive) return "Real robots keep real time.";
  if (!isOfRun(session) || hand.offers("setPace")) return "";
  const why = hand.actions?.why ?? "";
  return why === "" ? "The pace of this run cannot be set." : why;
}

export function setSpeed(session: Session, hand: Hand, speed: number): void {
  if (!isOfRun(session)) session.setSpeed(speed);
  else if (whyNot(session, hand) === "") void hand.do(`The run goes at ×${speed}.`, (acts) => acts.setPace(speed));
}

// The next speed of the list above or below one.
export function speedBeside(speed: number | null, by: number): number {
  const present = speed ?? 1;
  const found = by > 0 ? SPEEDS.find((one) => one > present) : SPEEDS.findLast((one) => one < present);
  return found ?? present;
}

// How late a run is that follows the wall clock, for people; empty where it keeps its pace.
export function lateness(session: Session): string {
  const clock = session.clocks.at(-1);
  if (clock === undefined || clock.pace === null || session.isOver) return "";
  if (clock.givenUp > 0) return `${clock.givenUp.toFixed(1)} s lost`;
  return clock.late >= NOTED ? `${(1000 * clock.late).toFixed(0)} ms late` : "on time";
}

const NOTED = 0.01; // seconds
