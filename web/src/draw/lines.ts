// Which lines does the space–time diagram have, and which messages are drawn between them?

import type { Kind } from "../run/digest";

// A line of a robot; the first of a group has its name.
export interface Line {
  readonly robot: number;
  readonly group: string;
  readonly isFirst: boolean;
}

export interface Crowd {
  readonly robots: readonly number[];
  nameOf(robot: number): string;
  groupOf(robot: number): string; // empty where it is in none
}

// The words of a filter: numbers, names or groups of robots, and beginnings of types of messages.
export class Filter {
  private readonly words: readonly string[];

  constructor(text: string) {
    this.words = text.toLowerCase().split(/[\s,]+/).filter((word) => word !== "");
  }

  // The lines of the robots that are meant; of all, where no word means a robot. Grouped, those of a group are together.
  lines(crowd: Crowd, isGrouped: boolean): Line[] {
    const meant = crowd.robots.filter((robot) => this.means([String(robot), crowd.nameOf(robot), crowd.groupOf(robot)]));
    const robots = [...(meant.length > 0 ? meant : crowd.robots)].sort((one, other) => one - other);
    if (isGrouped) robots.sort((one, other) => crowd.groupOf(one).localeCompare(crowd.groupOf(other)) || one - other);
    return robots.map((robot, at) => {
      const group = isGrouped ? crowd.groupOf(robot) : "";
      const before = robots[at - 1];
      return { robot, group, isFirst: isGrouped && (before === undefined || crowd.groupOf(before) !== group) };
    });
  }

  // Whether messages of a type are meant; all are, where no word begins one of the types.
  messages(types: readonly string[]): (type: string) => boolean {
    const begins = (type: string): boolean => this.words.some((word) => type.toLowerCase().startsWith(word));
    return types.some(begins) ? begins : () => true;
  }

  private means(names: readonly string[]): boolean {
    return names.some((name) => name !== "" && this.words.includes(name.toLowerCase()));
  }
}

const SHORTEST = 0.01; // seconds
const LONGEST = 3600;

// The span after the wheel was turned.
export function zoomed(span: number, turned: number): number {
  return Number(Math.min(Math.max(span * Math.exp(turned * 0.0015), SHORTEST), LONGEST).toPrecision(3));
}

const ROOMY = 4; // pixels between lines on which more than contacts is marked

// Whether what happened has a mark on a line, with so many pixels from one line to the next. Of a thousand robots the small marks would
// hide all else, and drawing them would take all the time there is.
export function isMarked(kind: Kind, gap: number): boolean {
  return kind === "contact" || (gap >= ROOMY && (kind === "note" || kind === "command" || kind === "arrived"));
}

// A name that is too long without what it can spare: of `eastbound 137` the number is kept, which no other robot has.
export function shortened(name: string, fits: (text: string) => boolean): string {
  if (fits(name)) return name;
  const number = /\d*$/.exec(name)?.[0] ?? "";
  for (let kept = name.length - number.length - 1; kept > 0; kept -= 1) {
    const text = `${name.slice(0, kept)}…${number}`;
    if (fits(text)) return text;
  }
  return `…${number}`;
}
