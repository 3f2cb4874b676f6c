// Which robots are alike: of one team, with the same sensors.

import { rgb, TEAMS } from "./palette";
import type { SensorField } from "./sensors";

export interface RobotGroup {
  first: number;
  count: number;
  team: string;
  sensors: SensorField[];
}

export class Groups {
  private readonly colors = new Map<string, string>();
  private readonly known = new Map<number, { color: [number, number, number] | null; group: RobotGroup | undefined }>();

  constructor(private readonly groups: readonly RobotGroup[]) {
    const teams = [...new Set(groups.map(({ team }) => team))];
    if (teams.length > 1) teams.forEach((team, number) => this.colors.set(team, TEAMS[number % TEAMS.length] ?? "#000000"));
  }

  get hasTeams(): boolean {
    return this.colors.size > 0;
  }

  // Each team with its colour; none where all are of one.
  get teams(): [string, string][] {
    return [...this.colors];
  }

  get hasSensors(): boolean {
    return this.groups.some(({ sensors }) => sensors.length > 0);
  }

  // The colour of a robot's team; null where there are no teams.
  colorOf(number: number): [number, number, number] | null {
    return this.of(number).color;
  }

  // The same as a style has it.
  styleOf(number: number): string | null {
    return this.colors.get(this.of(number).group?.team ?? "") ?? null;
  }

  // The name of a robot's team; empty where it is in none.
  teamOf(number: number): string {
    return this.of(number).group?.team ?? "";
  }

  readonly fieldsOf = (number: number): readonly SensorField[] => this.of(number).group?.sensors ?? [];

  private of(number: number): { color: [number, number, number] | null; group: RobotGroup | undefined } {
    let known = this.known.get(number);
    if (known === undefined) {
      const group = this.groups.find(({ first, count }) => number >= first && number < first + count);
      const color = this.colors.get(group?.team ?? "");
      known = { group, color: color === undefined ? null : rgb(color) };
      this.known.set(number, known);
    }
    return known;
  }
}
