// What can a person do to what the page shows? One interface; a run and a station each carry it out in their own way.
// The server checks the rights, always: an action that it refuses comes back as `Refused`, with its sentence, and changes nothing.

import type { MapTable } from "../draw/scenery";
import type { PlaceRecord as Place } from "../types";

export type Spot = Readonly<Place>;

// After what the robot was told before, or at once in its place.
export type Order = "queue" | "interrupt";

export const ORDERS: readonly Order[] = ["queue", "interrupt"];

// Standard deviations: of each way and turn as a share of it, and of each reading as a share of what is read. 0 is none.
export interface Noise {
  readonly motion: number;
  readonly sensors: number;
}

// A robot is its number in the journal.
export interface Acts {
  goTo(robot: number, at: Spot, order: Order): Promise<void>;
  followPath(robot: number, way: readonly Spot[], order: Order): Promise<void>;
  examineArea(robot: number, at: Spot, order: Order): Promise<void>;
  stop(robot: number | null): Promise<string>; // null: all; a sentence where there is more to say than that
  release(robot: number): Promise<void>; // back to its own program
  giveCode(robot: number, name: string, code: string): Promise<void>;
  checkCode(robot: number, code: string): Promise<Mistake[]>; // runs nothing
  commands(robot: number, text: string): Promise<void>;
  placeRobot(at: Spot, heading: number): Promise<void>; // radians
  removeRobot(robot: number): Promise<void>;
  drawWall(from: Spot, to: Spot): Promise<void>;
  removeWall(wall: number): Promise<void>;
  loadMap(map: MapTable | string): Promise<void>; // or the text of a map file
  saveMap(): Promise<string>; // the text of a map file
  setNoise(robot: number | null, noise: Noise): Promise<void>; // null: all
  setPace(pace: number): Promise<void>; // seconds of the run a second
}

export type Action = keyof Acts;

// What is wrong with code, and on which line, where that is known.
export interface Mistake {
  readonly line: number | null;
  readonly sentence: string;
}

export interface Failure extends Mistake {
  readonly time: number; // of the run
}

export interface Actions extends Acts {
  readonly offers: ReadonlySet<Action>;
  readonly why: string; // nothing may be done; empty where something may
}

// What is told of actions besides the journal.
export interface Acting {
  readonly held: Readonly<Record<string, number>>; // by robot: how many orders are left
  readonly noise: Noise;
  readonly failures: Readonly<Record<string, Failure>>; // of code that was given, by robot
  readonly warnings: readonly Warning[]; // the soonest
  readonly more_warnings: number; // beside those
  readonly why_off: string; // why there are no warnings; empty where there are
}

export interface Warning {
  readonly robot: string;
  readonly other: string;
  readonly seconds: number; // of the run, until they touch
  readonly at: Spot;
}

export const AT_REST: Acting = { held: {}, noise: { motion: 0, sensors: 0 }, failures: {}, warnings: [], more_warnings: 0, why_off: "" };

export class Refused extends Error {
  override readonly name = "Refused";
}
