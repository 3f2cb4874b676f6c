// The hand of the person: what they may do, the tool they hold, and what became of the last action.

import { Refused, type Acts, type Action, type Actions, type Order } from "./actions";
import { HOW, readPlaces } from "./places";
import { Tool, type ToolKind, type Wanted } from "./tool";

export class Hand {
  readonly tool = new Tool();
  order: Order = "interrupt";
  refusal = ""; // why the last action was not done
  told = ""; // what the last action was
  onChange: () => void = () => undefined;
  // Finds the obstacle at a place; the page knows what is there.
  obstacleAt: (x: number, y: number) => number | null = () => null;

  constructor(private acts: Actions | null = null) {
    this.tool.onWanted = (wanted) => { void this.carryOut(wanted); };
  }

  get actions(): Actions | null {
    return this.acts;
  }

  set actions(actions: Actions | null) {
    this.acts = actions;
    this.tool.leave();
    this.refusal = this.told = "";
  }

  offers(action: Action): boolean {
    return this.acts?.offers.has(action) === true;
  }

  get canAct(): boolean {
    return (this.acts?.offers.size ?? 0) > 0;
  }

  takeTool(kind: ToolKind): void {
    if (!this.offers(kind)) return;
    this.tool.take(kind);
    this.told = "";
    this.onChange();
  }

  // Does something, and says in one sentence where it is refused.
  async do<Came>(words: string, action: (acts: Acts) => Promise<Came>): Promise<Came | null> {
    if (this.acts === null) return null;
    try {
      const came = await action(this.acts);
      this.refusal = "";
      this.told = words;
      return came;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.refusal = error.message;
      return null;
    } finally {
      this.onChange();
    }
  }

  stop(robot: number | null): void {
    if (!this.offers("stop")) return;
    this.tool.leave();
    const words = robot === null ? "All stop." : `Robot ${robot} stops.`;
    void this.do(words, (acts) => acts.stop(robot)).then((more) => {
      if (more === null || more === "") return;
      this.told = more;
      this.onChange();
    });
  }

  // Does what a tool does, at places that were typed; `most` of them, or as many as there are.
  doAt(kind: ToolKind, robot: number | null, text: string, least: number, most = Infinity): void {
    const places = readPlaces(text);
    if (places === null || places.length < least || places.length > most) this.say(`${HOW} ${asked(least, most)}`);
    else void this.carryOut({ kind, robot, places });
  }

  say(refusal: string): void {
    this.refusal = refusal;
    this.onChange();
  }

  private async carryOut({ kind, robot, places }: Wanted): Promise<void> {
    const [first, second] = places;
    if (first === undefined) return;
    const { order } = this;
    if (kind === "drawWall" && second !== undefined) await this.do("The wall stands.", (acts) => acts.drawWall(first, second));
    else if (kind === "placeRobot") await this.do("The robot stands there.", (acts) => acts.placeRobot(first, 0));
    else if (kind === "removeWall") await this.removeWall(first.x, first.y);
    else if (robot === null) return;
    else if (kind === "goTo") await this.do(`Robot ${robot} goes.`, (acts) => acts.goTo(robot, first, order));
    else if (kind === "examineArea") await this.do(`Robot ${robot} goes to film.`, (acts) => acts.examineArea(robot, first, order));
    else await this.do(`Robot ${robot} follows the path.`, (acts) => acts.followPath(robot, places, order));
  }

  private async removeWall(x: number, y: number): Promise<void> {
    const wall = this.obstacleAt(x, y);
    if (wall === null) this.say("There is no wall where you clicked.");
    else await this.do("The wall is gone.", (acts) => acts.removeWall(wall));
  }
}

function asked(least: number, most: number): string {
  return least === most ? `Here, ${least} are asked for.` : `Here, at least ${least} is asked for.`;
}
