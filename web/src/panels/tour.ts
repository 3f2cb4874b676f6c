// Ten things to try, each by a click: what one can see, and, where one may act, what one can do.

import { css, html, LitElement, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Action } from "../actions/actions";
import type { Hand } from "../actions/hand";
import type { Panel } from "./panels";
import { boundsOf } from "../draw/scenery";
import type { Session } from "../session";
import { setSpeed } from "./speed";
import { controls } from "./styles";

// What a step does with the page.
export interface Guided {
  readonly session: Session;
  readonly hand: Hand;
  chosenOrFirst(): number | null;
  followOrFit(follows: boolean): void;
  show(panel: Panel): void;
}

export interface Step {
  readonly name: string;
  readonly action: Action | null; // that one must be allowed to do
  does(page: Guided): void;
}

const FAST = 20; // seconds of the run a second
const SQUARE = `async def main(robot):
    for _ in range(4):
        await robot.forward(SIDE)
        await robot.turn(1.5708)
`;

export const STEPS: readonly Step[] = [
  { name: "Choose a robot", action: null, does: (page) => { page.chosenOrFirst(); page.show("robot"); } },
  { name: "Follow it", action: null, does: (page) => { page.followOrFit(true); } },
  { name: "See all again", action: null, does: (page) => { page.followOrFit(false); } },
  { name: "Step to the next event", action: null, does: ({ session }) => { void session.step(true); } },
  { name: "Go on", action: null, does: ({ session }) => { if (session.isOver) session.play(); else session.goLive(); } },
  { name: "See messages in space and time", action: null, does: (page) => { page.show("diagram"); } },
  { name: "Make the run faster", action: "setPace", does: ({ session, hand }) => { session.goLive(); setSpeed(session, hand, FAST); } },
  { name: "Send the robot to the middle", action: "goTo", does: goToMiddle },
  { name: "Draw a wall", action: "drawWall", does: drawWall },
  { name: "Give the robot a program", action: "giveCode", does: giveSquare },
];

function goToMiddle(page: Guided): void {
  const robot = page.chosenOrFirst();
  const { x, y } = middleOf(page.session);
  if (robot !== null) void page.hand.do(`Robot ${robot} goes to the middle.`, (acts) => acts.goTo(robot, { x, y }, "interrupt"));
}

function drawWall({ session, hand }: Guided): void {
  const { x, y, size } = middleOf(session);
  void hand.do("The wall stands.", (acts) => acts.drawWall({ x: x - 0.1 * size, y: y + 0.2 * size }, { x: x + 0.1 * size, y: y + 0.2 * size }));
}

function giveSquare(page: Guided): void {
  const robot = page.chosenOrFirst();
  const code = SQUARE.replace("SIDE", (0.1 * middleOf(page.session).size).toPrecision(3));
  if (robot !== null) void page.hand.do(`Robot ${robot} drives a square.`, (acts) => acts.giveCode(robot, "square.py", code));
}

// The middle of the plane, and how large it is; of an endless one, what a robot could be near to.
function middleOf({ meta }: Session): { x: number; y: number; size: number } {
  const bounds = meta === null ? null : boundsOf(meta.map);
  if (bounds === null) return { x: 0, y: 0, size: 10 };
  const { left, right, bottom, top } = bounds;
  return { x: (left + right) / 2, y: (bottom + top) / 2, size: Math.min(right - left, top - bottom) };
}

@customElement("kumi-tour")
export class Tour extends LitElement {
  @property({ attribute: false }) page!: Guided;
  @property({ type: Number }) tick = 0;
  @state() private done: ReadonlySet<Step> = new Set();

  static override styles = [controls, css`
    :host { display: block; padding: 6px 8px; border-bottom: 1px solid var(--line); background: var(--plane); overflow: auto; flex: none; max-height: 45%; }
    h2 { font-size: 13px; margin: 0; flex: 1; } div { display: flex; align-items: center; }
    ol { list-style: none; display: flex; flex-wrap: wrap; gap: 4px; margin: 4px 0 0; padding: 0; }
    li button { border-color: var(--line); min-height: 30px; font-size: 13px; }
    .done { color: var(--quiet); }
    @media (max-width: 720px) { ol { flex-wrap: nowrap; overflow-x: auto; } li button { white-space: nowrap; } }
  `];

  protected override render(): TemplateResult {
    const { hand } = this.page;
    const why = hand.actions?.why ?? "";
    return html`<div><h2>Ten things to try</h2><button aria-label="Close the tour" @click=${() => { this.dispatchEvent(new CustomEvent("leave")); }}>✕</button></div>
      <ol>${STEPS.map((step, at) => {
        const may = step.action === null || hand.offers(step.action);
        return html`<li><button class=${this.done.has(step) ? "done" : ""} ?disabled=${!may} title=${may ? step.name : why}
          @click=${() => { this.try(step); }}>${this.done.has(step) ? "✓" : at + 1} ${step.name}</button></li>`;
      })}</ol>`;
  }

  private try(step: Step): void {
    this.done = new Set([...this.done, step]);
    step.does(this.page);
  }
}
