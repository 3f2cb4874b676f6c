// Acting on a run: each deed is asked of the server of the page, with the key of who may act.

import { Refused, type Acts, type Deed, type Deeds, type Mistake, type Noise, type Order, type Spot } from "./deeds";
import type { MapTable } from "./scenery";

const GONE = "The server does not answer; nothing was done.";

export class RunDeeds implements Deeds {
  readonly offers: ReadonlySet<Deed>;

  constructor(offers: Iterable<string>, private readonly key: string | null) {
    this.offers = new Set(offers) as ReadonlySet<Deed>;
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

  stop(robot: number | null): Promise<void> {
    return this.ask("stop", { robot });
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

  private async ask<Came = void>(deed: keyof Acts, about: object): Promise<Came> {
    const headers: Record<string, string> = { "Content-Type": "application/json" };
    if (this.key !== null) headers["Authorization"] = `Bearer ${this.key}`;
    let answer: Response;
    try {
      answer = await fetch(`deed/${deed}`, { method: "POST", headers, body: JSON.stringify(about) });
    } catch {
      throw new Refused(GONE);
    }
    if (!answer.ok) throw new Refused(await answer.text());
    return (await answer.json()) as Came;
  }
}
