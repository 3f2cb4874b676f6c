// What does a click on the plane mean? A tool asks for what its action needs, one click after the other: a robot, places.
// It knows nothing of the page, and tells its owner when it has all.

import type { Action, Spot } from "./actions";

export type ToolKind = Extract<Action, "goTo" | "followPath" | "examineArea" | "placeRobot" | "drawWall" | "removeWall">;

const NEEDS_ROBOT: readonly ToolKind[] = ["goTo", "followPath", "examineArea"];
const PLACES: Record<ToolKind, number> = {
  goTo: 1, followPath: Infinity, examineArea: 1, placeRobot: 1, drawWall: 2, removeWall: 1,
};
const HINTS: Record<ToolKind, string> = {
  goTo: "Click where the robot shall go.",
  followPath: "Draw the way, or click one place after the other; Enter or a double click ends the path.",
  examineArea: "Click the place to film.",
  placeRobot: "Click where the robot shall stand.",
  drawWall: "Drag from where the wall begins to where it ends, or click both.",
  removeWall: "Click the wall to take away.",
};

export interface Wanted {
  kind: ToolKind;
  robot: number | null;
  places: readonly Spot[];
}

export class Tool {
  readonly places: Spot[] = [];
  pointer: Spot | null = null; // where the next place would be
  onWanted: (wanted: Wanted) => void = () => undefined;
  private present: ToolKind | null = null;

  get kind(): ToolKind | null {
    return this.present;
  }

  // What the person is to do next.
  hint(robot: number | null): string {
    if (this.present === null) return "";
    const how = this.needsRobot(robot) ? "Click the robot first." : HINTS[this.present];
    return `${how} Esc leaves it.`;
  }

  take(kind: ToolKind): void {
    const isSame = this.present === kind;
    this.leave();
    if (!isSame) this.present = kind;
  }

  leave(): void {
    this.present = null;
    this.places.length = 0;
    this.pointer = null;
  }

  // Is the next click the choice of a robot?
  needsRobot(robot: number | null): boolean {
    return this.present !== null && robot === null && NEEDS_ROBOT.includes(this.present);
  }

  click(at: Spot, robot: number | null): void {
    if (this.present === null || this.needsRobot(robot)) return;
    this.places.push(at);
    if (this.places.length >= PLACES[this.present]) this.finish(robot);
  }

  // Is what is dragged now drawn by this tool?
  draws(robot: number | null): boolean {
    return (this.present === "drawWall" || this.present === "followPath") && this.places.length === 0 && !this.needsRobot(robot);
  }

  // Takes a place that the pointer is dragged over: a way goes through those that are some metres from the last, a wall has only the first.
  drag(at: Spot, apart: number): void {
    const last = this.places.at(-1);
    this.pointer = at;
    if (last === undefined || (this.present === "followPath" && Math.hypot(at.x - last.x, at.y - last.y) >= apart)) this.places.push(at);
  }

  // Ends what was dragged.
  drop(at: Spot, robot: number | null): void {
    this.places.push(at);
    this.finish(robot);
  }

  // Forgets the places so far.
  clear(): void {
    this.places.length = 0;
  }

  // Ends a path; the places of a double click that lie upon each other count once.
  finish(robot: number | null): void {
    if (this.present === null) return;
    const places = this.places.filter((one, at) => {
      const before = this.places[at - 1];
      return before === undefined || one.x !== before.x || one.y !== before.y;
    });
    const least = Math.min(PLACES[this.present], 2);
    const wanted = { kind: this.present, robot, places };
    if (places.length < (this.present === "followPath" ? 1 : least)) return;
    this.leave();
    this.onWanted(wanted);
  }
}
