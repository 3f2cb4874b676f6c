// A station, looked at by somebody: who that is, which robots there are, what was found, and what the chosen robot has to do.
//
// What comes by itself comes over the socket; the rest is asked for when something that happened has changed it, never by the clock.

import { Refused } from "../actions/actions";
import type { MapTable } from "../draw/scenery";
import { asSentence, FirstPassword, StationApi } from "./api";
import { StationActions, type Scene } from "./actions";
import { endWords, type Looker, type StationWord } from "./records";
import type { FoundObject, Happening, LogIn, RobotStatus, SampleRecord, ShownRobot, Task } from "../types";

const KEPT = "kumi-token";
const NOTICES = 8; // that are kept
const SHOWN = 30_000; // milliseconds for which a notice is shown

export interface Notice {
  id: number;
  text: string;
  isGood: boolean;
  until: number; // by the page's own clock, in milliseconds
}

// What a station does to the session that shows it.
export interface Shower {
  named(robots: Record<string, string>): void;
  mapped(map: MapTable): void;
  enter(): void; // the token is there: go on
  leave(isForgotten: boolean): void;
}

export class StationSession implements Scene {
  readonly api = new StationApi();
  readonly actions = new StationActions(this.api, this);
  person: Looker | null = null;
  needsPassword = false; // whoever logs in has a first password, and has to choose another
  isAsking = false; // somebody has to log in
  sentence = ""; // why
  readonly robots = new Map<number, ShownRobot>();
  finds: FoundObject[] = [];
  monitor: RobotStatus | null = null; // of the chosen robot
  refusal = ""; // why there is none
  layer: { name: string; samples: SampleRecord[] } | null = null;
  output: { task: number; text: string } | null = null; // of the task whose output is shown
  notices: Notice[] = [];
  boards = 0; // rises when a contest is over
  measured = 0; // rises when something was measured
  rights = 0; // rises when somebody's rights changed
  events = 0; // rises with all that happens
  onChange: () => void = () => undefined;
  private chosen: number | null = null;
  private asked = 0;

  constructor(private readonly shower: Shower) {
    this.api.token = kept();
    this.isAsking = this.api.token === null;
    this.api.onUnknown = (sentence) => { this.unknown(sentence); };
  }

  get token(): string | null {
    return this.api.token;
  }

  get isSuperUser(): boolean {
    return this.person?.role === "super-user";
  }

  // Whether somebody is set over people: all of them, or those of one team.
  get isOverPeople(): boolean {
    return this.isSuperUser || this.person?.role === "team-head";
  }

  tagOf(robot: number): string | undefined {
    return this.robots.get(robot)?.tag;
  }

  own(): string[] {
    const mine = [...this.robots.values()].filter((one) => this.isSuperUser || one.team === this.person?.team);
    return mine.filter((one) => one.state !== "away").map((one) => one.tag);
  }

  async logIn(name: string, password: string, more: Pick<LogIn, "new_password" | "life"> = {}): Promise<void> {
    this.api.token = null;
    try {
      const { token } = await this.api.call("log_in", { name, password, ...more });
      this.take(token);
      this.isAsking = this.needsPassword = false;
      this.sentence = "";
      this.shower.enter();
    } catch (error) {
      this.needsPassword = error instanceof FirstPassword || (this.needsPassword && more.new_password !== undefined);
      this.sentence = said(error);
    }
    this.onChange();
  }

  async logOut(): Promise<void> {
    const leaving = this.api.call("log_out", {}).catch(() => undefined); // a token that is worth nothing is as good as handed back
    this.unknown("");
    this.forget();
    this.shower.leave(true);
    await leaving;
  }

  // The station does not know the token any more: what is seen stays, and somebody has to log in.
  unknown(sentence: string): void {
    this.take(null);
    this.isAsking = true;
    this.sentence = sentence === "" ? "" : asSentence(sentence);
    this.shower.leave(false);
    this.onChange();
  }

  hear(word: StationWord): void {
    if (word.kind === "known") this.greet(word);
    else if (word.kind === "robots") this.name(word.robots, word.isAll);
    else if (word.kind === "map") this.shower.mapped(word.map);
    else if (word.kind === "objects") this.finds = word.isAll ? word.objects : [...this.finds, ...word.objects];
    else for (const one of word.happened) this.happened(one);
    this.onChange();
  }

  // Asks what the chosen robot has to do.
  choose(robot: number | null): void {
    if (robot === this.chosen) return;
    this.chosen = robot;
    this.monitor = null;
    this.refusal = "";
    void this.ask();
  }

  async showLayer(name: string | null): Promise<void> {
    if (name === null) this.layer = null;
    else this.layer = { name, samples: (await this.api.call("get_layer", { layer: name })).samples };
    this.onChange();
  }

  // Shows what a task prints from now on, or nothing.
  async showOutput(task: number | null): Promise<void> {
    this.output = task === null ? null : { task, text: "" };
    await this.readOutput();
  }

  dismiss(notice: Notice): void {
    this.notices = this.notices.filter((one) => one !== notice);
    this.onChange();
  }

  async ask(): Promise<void> {
    const tag = this.chosen === null ? undefined : this.tagOf(this.chosen);
    if (tag === undefined || this.token === null) return;
    const asked = ++this.asked;
    try {
      const monitor = await this.api.call("monitor", { robot: tag });
      if (asked === this.asked) [this.monitor, this.refusal] = [monitor, ""];
    } catch (error) {
      if (asked === this.asked) [this.monitor, this.refusal] = [null, said(error)];
    }
    this.onChange();
  }

  private greet({ name, team, role }: Looker): void {
    const isAnother = this.person !== null && (this.person.name !== name || this.person.team !== team);
    this.person = { name, team, role };
    if (isAnother) {
      this.forget();
      this.person = { name, team, role };
      this.shower.leave(true);
    }
    void this.ask();
  }

  private forget(): void {
    this.person = this.monitor = this.layer = this.output = null;
    [this.finds, this.notices, this.refusal] = [[], [], ""];
    this.robots.clear();
  }

  private name(robots: Record<string, ShownRobot | null>, isAll: boolean): void {
    if (isAll) this.robots.clear();
    for (const [number, robot] of Object.entries(robots)) {
      if (robot === null) this.robots.delete(Number(number));
      else this.robots.set(Number(number), robot);
    }
    this.shower.named(Object.fromEntries([...this.robots].map(([number, one]) => [String(number), one.tag])));
    if (this.monitor === null) void this.ask();
  }

  private happened(one: Happening): void {
    if (one.kind === "task_ended" && one.data["given_by"] === this.person?.name) this.notice(one);
    this.events += 1;
    if (one.kind === "rights_changed") this.rights += 1;
    if (one.kind === "contest_over") this.boards += 1;
    if (one.kind === "measured") {
      this.measured += 1;
      if (one.data["layer"] === this.layer?.name) void this.showLayer(this.layer?.name ?? null).catch(() => undefined);
    }
    if (one.kind === "task_output" && one.data["task"] === this.output?.task) void this.readOutput();
    const isTask = (one.kind.startsWith("task_") && one.kind !== "task_output") || one.kind === "stop";
    if (isTask && this.chosen !== null && one.robot === this.tagOf(this.chosen)) void this.ask();
  }

  private notice({ id, robot, data }: Happening): void {
    const ended = data as unknown as Task;
    const { name, state } = ended;
    const text = `${robot ?? ""}: ${name} ${endWords(state, ended)}`;
    const notice = { id, text, isGood: state === "done", until: performance.now() + SHOWN };
    this.notices = [notice, ...this.notices].slice(0, NOTICES);
  }

  private async readOutput(): Promise<void> {
    const shown = this.output;
    if (shown !== null) {
      const { text } = await this.api.call("task_output", { task: shown.task }).catch((error: unknown) => ({ text: said(error) }));
      if (shown.task === this.output?.task) this.output = { task: shown.task, text };
    }
    this.onChange();
  }

  private take(token: string | null): void {
    this.api.token = token;
    try {
      if (token === null) sessionStorage.removeItem(KEPT);
      else sessionStorage.setItem(KEPT, token);
    } catch {
      // A browser that keeps nothing asks again after the page is loaded anew.
    }
  }
}

function kept(): string | null {
  try {
    return sessionStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

export function said(error: unknown): string {
  return error instanceof Refused ? error.message : String(error);
}

