// What a person does to the robots of a station, by its operations. The station knows robots by their tags.

import { Refused, type Action, type Actions, type Mistake, type Order, type Spot } from "../actions/actions";
import { mapText } from "../draw/map_text";
import type { MapTable } from "../draw/scenery";
import type { StationApi } from "./api";

const EVERYBODY: readonly Action[] = ["goTo", "followPath", "examineArea", "stop", "giveCode"];
const SUPER_USERS: readonly Action[] = ["drawWall", "removeWall", "loadMap", "saveMap"];

// What became of a stop that is not on the station's disk yet.
const STOPPED = "is stopped, not yet written down";
const TOLD_TO_STOP = "was told to stop and has not answered yet; this is not yet written down";

// What the actions need to know of who acts, and on what.
export interface Scene {
  readonly isSuperUser: boolean;
  tagOf(robot: number): string | undefined;
  own(): string[]; // the tags of the robots that are there and that one may act on
}

export class StationActions implements Actions {
  readonly why = "";

  constructor(private readonly api: StationApi, private readonly scene: Scene) {}

  get offers(): ReadonlySet<Action> {
    return new Set(this.scene.isSuperUser ? [...EVERYBODY, ...SUPER_USERS] : EVERYBODY);
  }

  goTo(robot: number, at: Spot, order: Order): Promise<void> {
    return this.give(robot, "goTo", { at: spot(at) }, order);
  }

  followPath(robot: number, way: readonly Spot[], order: Order): Promise<void> {
    return this.give(robot, "followPath", { path: way.map(spot) }, order);
  }

  examineArea(robot: number, at: Spot, order: Order): Promise<void> {
    return this.give(robot, "examineArea", { at: spot(at) }, order);
  }

  // All robots are stopped at once: none waits for another, and one that is refused keeps none of the others going.
  async stop(robot: number | null): Promise<string> {
    const tags = robot === null ? this.scene.own() : [this.tag(robot)];
    const ended = await Promise.allSettled(tags.map((tag) => this.api.call("stop", { robot: tag }, true)));
    for (const one of ended) if (one.status === "rejected") throw one.reason;
    const unwritten = ended.flatMap((one, number) => {
      const answer = one.status === "fulfilled" && !one.value.is_written ? one.value : null;
      return answer === null ? [] : [`${tags[number] ?? ""} ${answer.is_heard ? STOPPED : TOLD_TO_STOP}.`];
    });
    return unwritten.join(" ");
  }

  async giveCode(robot: number, name: string, code: string): Promise<void> {
    await this.api.call("send_code", { robot: this.tag(robot), name: wordOf(name), code });
  }

  async cancel(task: number): Promise<void> {
    await this.api.call("cancel_task", { task });
  }

  async drawWall(from: Spot, to: Spot): Promise<void> {
    const map = await this.map();
    await this.loadMap({ ...map, obstacles: [...(map.obstacles ?? []), { wall: [[from.x, from.y], [to.x, to.y]] }] });
  }

  // A wall is its place among the obstacles of the map.
  async removeWall(wall: number): Promise<void> {
    const map = await this.map();
    await this.loadMap({ ...map, obstacles: (map.obstacles ?? []).filter((_, number) => number !== wall) });
  }

  async loadMap(map: MapTable | string): Promise<void> {
    await this.api.call("set_map", typeof map === "string" ? { text: map } : { map: { ...map } });
  }

  async saveMap(): Promise<string> {
    return mapText(await this.map());
  }

  release(): Promise<void> { return refuse("a robot of a station has no program of its own to go back to"); }
  checkCode(): Promise<Mistake[]> { return refuse("a station checks code when it runs it"); }
  commands(): Promise<void> { return refuse("a station takes tasks and code, no command lists"); }
  placeRobot(): Promise<void> { return refuse("robots enter a station by themselves"); }
  removeRobot(): Promise<void> { return refuse("robots leave a station by themselves"); }
  setPace(): Promise<void> { return refuse("real robots keep real time"); }
  setNoise(): Promise<void> { return refuse("a station does not make its robots' noise"); }

  private async give(robot: number, task: string, what: Record<string, unknown>, order: Order): Promise<void> {
    const when = order === "interrupt" ? "now" : "queue";
    await this.api.call("give_task", { robot: this.tag(robot), task, arguments: what, when, request: unique() });
  }

  private tag(robot: number): string {
    const tag = this.scene.tagOf(robot);
    if (tag === undefined) throw new Refused(`There is no robot ${robot} here any more.`);
    return tag;
  }

  private async map(): Promise<MapTable> {
    return (await this.api.call("get_map", {})).map ?? {};
  }
}

// A call that got no answer may be repeated with the same one: the task is given once.
function unique(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((one) => one.toString(16)).join("-");
}

// The name of a file as a station takes it: letters, digits, dashes, beginning with a letter.
function wordOf(name: string): string {
  const word = name.replace(/\.py$/, "").replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 60);
  return /^[A-Za-z_]/.test(word) ? word : `_${word}`;
}

function spot({ x, y }: Spot): Spot {
  return { x, y };
}

function refuse(why: string): Promise<never> {
  return Promise.reject(new Refused(`${why.charAt(0).toUpperCase()}${why.slice(1)}.`));
}
