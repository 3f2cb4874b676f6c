// Acting on a run: each action is asked of the server of the page, with the key of who may act.

import { Refused, type Acts, type Action, type Actions, type Mistake, type Noise, type Order, type Spot } from "./actions";
import type { MapTable } from "../draw/scenery";

const UNKNOWN = "The server does not tell yet whether you may act.";
const GONE = "The server does not answer; nothing was done.";

export class RunActions implements Actions {
  offers: ReadonlySet<Action> = new Set(); // nothing, until it is known that one may
  why = UNKNOWN;

  constructor(private readonly known: readonly string[], private readonly key: string | null) {}

  // Asks the server whether the key is good.
  async prove(): Promise<void> {
    try {
      const answer = await fetch("rights", { headers: this.proof });
      this.why = ((await answer.json()) as { why: string }).why;
    } catch {
      this.why = UNKNOWN;
    }
    if (this.why === "") this.offers = new Set(this.known) as ReadonlySet<Action>;
  }

  goTo(robot: number, at: Spot, order: Order): Promise<void> {
    return this.ask("goTo", { robot, at, order });
  }

  followPath(robot: number, way: readonly Spot[], order: Order): Promise<void> {
    return this.ask("followPath", { robot, way, order });
  }

  examineArea(): Promise<void> {
    return Promise.reject(new Refused("A robot in a simulation makes no films."));
  }

  async stop(robot: number | null): Promise<string> {
    await this.ask("stop", { robot });
    return "";
  }

  release(robot: number): Promise<void> {
    return this.ask("release", { robot });
  }

  giveCode(robot: number, name: string, code: string): Promise<void> {
    return this.ask("giveCode", { robot, name, code });
  }

  checkCode(robot: number, code: string): Promise<Mistake[]> {
    return this.ask<Mistake[]>("checkCode", { robot, code });
  }

  commands(robot: number, text: string): Promise<void> {
    return this.ask("commands", { robot, text });
  }

  placeRobot(at: Spot, heading: number): Promise<void> {
    return this.ask("placeRobot", { at, heading });
  }

  removeRobot(robot: number): Promise<void> {
    return this.ask("removeRobot", { robot });
  }

  drawWall(from: Spot, to: Spot): Promise<void> {
    return this.ask("drawWall", { from, to });
  }

  removeWall(wall: number): Promise<void> {
    return this.ask("removeWall", { wall });
  }

  loadMap(map: MapTable | string): Promise<void> {
    return this.ask("loadMap", { map });
  }

  saveMap(): Promise<string> {
    return this.ask<string>("saveMap", {});
  }

  setNoise(robot: number | null, noise: Noise): Promise<void> {
    return this.ask("setNoise", { robot, ...noise });
  }

  setPace(pace: number): Promise<void> {
    return this.ask("setPace", { pace });
  }

  private get proof(): Record<string, string> {
    return this.key === null ? {} : { Authorization: `Bearer ${this.key}` };
  }

  private async ask<Came = void>(action: keyof Acts, about: object): Promise<Came> {
    const headers = { "Content-Type": "application/json", ...this.proof };
    let answer: Response;
    try {
      answer = await fetch(`action/${action}`, { method: "POST", headers, body: JSON.stringify(about) });
    } catch {
      throw new Refused(GONE);
    }
    if (!answer.ok) throw new Refused(await answer.text());
    return (await answer.json()) as Came;
  }
}
