// Which lines does the space–time diagram have, and which messages are drawn between them?

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
