// The work space: the picture, and pointing, dragging and zooming in it.

import { css, html, LitElement, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import { readTile, type Tile } from "../draw/camera";
import type { Spot } from "../actions/actions";
import type { Hand } from "../actions/hand";
import { poseAt } from "../run/motion";
import type { Layers } from "../draw/overlay";
import { readPalette, type Palette } from "../draw/palette";
import { Picture } from "../draw/picture";
import type { Session } from "../session";
import { boundsOf } from "../draw/scenery";
import { leastRadius } from "../draw/sizes";
import { StationDrawing } from "../station/drawing";
import { bodyAt } from "../run/swarm";

const SLACK = 8; // pixels beside a robot that still mean it
const CLICK = 4; // pixels that a hand may shake in a click

export interface Pointed {
  chosen: number | null;
  hovered: number | null;
}

@customElement("kumi-work-space")
export class WorkSpace extends LitElement {
  @property({ attribute: false }) session!: Session;
  @property({ attribute: false }) layers!: Layers;
  @property({ attribute: false }) pointed!: Pointed;
  @property({ attribute: false }) hand: Hand | null = null;
  @property({ type: Boolean }) follows = false;
  @query("canvas.scenery") private scenery!: HTMLCanvasElement;
  @query("canvas.underlay") private underlay!: HTMLCanvasElement;
  @query("canvas.robots") private robots!: HTMLCanvasElement;
  @query("canvas.overlay") private overlay!: HTMLCanvasElement;
  picture: Picture | null = null;
  private palette: Palette = readPalette();
  private readonly ofStation = new StationDrawing();
  private isFitted = true;
  private needsFit = true;
  pointer: Spot | null = null; // where the pointer is on the plane
  private drag: { x: number; y: number; moved: number; draws: boolean } | null = null;
  private readonly fingers = new Map<number, { x: number; y: number }>();
  private readonly tile: Tile | null = readTile(new URLSearchParams(location.search).get("tile"));

  static override styles = css`
    :host { display: block; position: relative; overflow: hidden; touch-action: none; cursor: crosshair; }
    canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
    .overlay:focus-visible { outline: 2px solid var(--accent); outline-offset: -3px; }
  `;

  protected override render(): TemplateResult {
    return html`
      <canvas class="scenery"></canvas><canvas class="underlay"></canvas><canvas class="robots"></canvas>
      <canvas class="overlay" tabindex="0" role="img" aria-label="Work space. Arrow keys step, N chooses the next robot."
        @pointerdown=${this.press} @pointermove=${this.move} @pointerup=${this.release} @pointercancel=${this.release}
        @pointerleave=${this.leave} @dblclick=${() => { this.hand?.tool.finish(this.pointed.chosen); }} @wheel=${this.wheel}></canvas>`;
  }

  protected override firstUpdated(): void {
    this.picture = new Picture(this.scenery, this.underlay, this.robots, this.overlay);
    this.picture.camera.tile = this.tile;
    new ResizeObserver(() => { this.resized(); }).observe(this);
    this.resized();
    this.session.onView = ([x, y, scale]) => {
      if (this.picture === null) return;
      Object.assign(this.picture.camera, { x, y, scale });
      this.isFitted = this.needsFit = false;
    };
  }

  // Shows all of the plane.
  fit(): void {
    this.isFitted = this.needsFit = true;
    this.dispatchEvent(new CustomEvent("unfollow"));
  }

  zoom(factor: number, x = this.overlay.width / 2, y = this.overlay.height / 2): void {
    this.picture?.camera.zoom(factor, x, y);
    this.moved();
  }

  pan(dx: number, dy: number): void {
    this.picture?.camera.pan(dx, dy);
    this.moved();
    this.dispatchEvent(new CustomEvent("unfollow"));
  }

  takePalette(): void {
    this.palette = readPalette();
    this.picture?.redraw();
  }

  draw(): void {
    const { session, picture } = this;
    if (picture === null || session.meta === null) return;
    const { map, robots: names, reach } = session.meta;
    if (this.needsFit) {
      picture.camera.fit(picture.bounds(map, session.swarm, session.now));
      this.needsFit = session.swarm.bodies.size === 0;
    }
    const followed = this.follows && this.pointed.chosen !== null ? session.swarm.bodies.get(this.pointed.chosen) : undefined;
    if (followed !== undefined) {
      const { x, y } = poseAt(followed.piece, session.now, { x: 0, y: 0, heading: 0 });
      Object.assign(picture.camera, { x, y });
    }
    const { now, pace, groups, solid } = session;
    const ratio = devicePixelRatio;
    const least = leastRadius(boundsOf(map), session.swarm.bodies.size, picture.camera, ratio);
    const shown = { now, since: session.timeline.since(now), pace, groups, solid, names, reach, ratio, least, ...this.pointed };
    picture.draw(map, session.swarm, shown, this.layers, this.palette);
    if (this.hand !== null) picture.drawHand(session.swarm, session.done, this.hand.tool, shown, this.palette);
    const station = session.stationSession;
    if (station === null || !this.layers.station) return;
    picture.also(shown, (canvases) => {
      this.ofStation.draw(canvases, station, session.swarm, session.now, this.pointed.chosen, this.palette);
    });
  }

  private resized(): void {
    const width = Math.max(Math.round(this.clientWidth * devicePixelRatio), 1);
    const height = Math.max(Math.round(this.clientHeight * devicePixelRatio), 1);
    this.picture?.resize(width, height);
    if (this.isFitted) this.needsFit = true;
  }

  private moved(): void {
    this.isFitted = this.needsFit = false;
    const camera = this.picture?.camera;
    if (camera !== undefined) this.session.share([camera.x, camera.y, camera.scale]);
  }

  private place(event: PointerEvent | WheelEvent): { x: number; y: number } {
    return { x: event.offsetX * devicePixelRatio, y: event.offsetY * devicePixelRatio };
  }

  private press(event: PointerEvent): void {
    this.overlay.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, this.place(event));
    const draws = this.fingers.size === 1 && this.hand?.tool.draws(this.pointed.chosen) === true;
    if (this.drag?.draws === true) this.hand?.tool.clear(); // a second finger zooms
    this.drag = { ...this.place(event), moved: this.fingers.size > 1 ? Infinity : 0, draws };
  }

  private move(event: PointerEvent): void {
    const here = this.place(event);
    this.pointer = this.spotAt(here);
    if (this.fingers.size === 2) {
      this.pinch(event.pointerId, here);
    } else if (this.drag === null) {
      this.point({ hovered: this.numberAt(here) });
      if (this.hand !== null) this.hand.tool.pointer = this.pointer;
    } else {
      const [dx, dy] = [here.x - this.drag.x, here.y - this.drag.y];
      const moved = this.drag.moved + Math.abs(dx) + Math.abs(dy);
      if (moved > CLICK && this.drag.draws) this.drawOver(this.drag, here);
      else if (moved > CLICK) this.pan(dx, dy);
      if (moved > CLICK) this.drag = { ...here, moved, draws: this.drag.draws };
    }
    if (this.fingers.has(event.pointerId)) this.fingers.set(event.pointerId, here);
  }

  // Draws from where the pointer was pressed.
  private drawOver(from: { x: number; y: number; moved: number }, here: { x: number; y: number }): void {
    for (const place of from.moved <= CLICK ? [from, here] : [here]) {
      const spot = this.spotAt(place);
      if (spot !== null) this.hand?.tool.drag(spot, 2 * this.slack);
    }
  }

  private pinch(finger: number, here: { x: number; y: number }): void {
    const before = this.fingers.get(finger);
    const other = [...this.fingers].find(([number]) => number !== finger)?.[1];
    if (before === undefined || other === undefined) return;
    const factor = Math.hypot(here.x - other.x, here.y - other.y) / Math.hypot(before.x - other.x, before.y - other.y);
    if (Number.isFinite(factor) && factor > 0) this.zoom(factor, (here.x + other.x) / 2, (here.y + other.y) / 2);
  }

  private release(event: PointerEvent): void {
    this.fingers.delete(event.pointerId);
    if (this.drag !== null && this.drag.moved <= CLICK && event.type === "pointerup") {
      this.clicked(this.place(event));
    } else if (this.drag?.draws === true) {
      const spot = this.spotAt(this.place(event));
      if (spot !== null && event.type === "pointerup") this.hand?.tool.drop(spot, this.pointed.chosen);
      else this.hand?.tool.clear();
    }
    this.drag = null;
  }

  // Where the tool wants a place, a click is that; else it chooses a robot.
  private clicked(here: { x: number; y: number }): void {
    const tool = this.hand?.tool;
    const spot = this.spotAt(here);
    if (tool === undefined || spot === null || tool.kind === null || tool.needsRobot(this.pointed.chosen)) {
      this.point({ chosen: this.numberAt(here) });
      return;
    }
    tool.click(spot, this.pointed.chosen);
  }

  private leave(): void {
    this.point({ hovered: null });
    this.pointer = null;
    if (this.hand !== null) this.hand.tool.pointer = null;
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const { x, y } = this.place(event);
    const lines = event.deltaMode === 1 ? 30 : 1;
    this.zoom(Math.exp(-event.deltaY * lines * 0.0015), x, y);
  }

  // Metres beside a thing that still mean it.
  get slack(): number {
    return (SLACK * devicePixelRatio) / (this.picture?.camera.scale ?? 1);
  }

  private spotAt({ x, y }: { x: number; y: number }): Spot | null {
    const at = this.picture?.camera.toPlane(x, y);
    return at === undefined ? null : { x: rounded(at[0]), y: rounded(at[1]) };
  }

  private numberAt({ x, y }: { x: number; y: number }): number | null {
    const camera = this.picture?.camera;
    if (camera === undefined) return null;
    return bodyAt(this.session.swarm, ...camera.toPlane(x, y), this.session.now, this.slack)?.number ?? null;
  }

  private point(change: Partial<Pointed>): void {
    this.dispatchEvent(new CustomEvent<Partial<Pointed>>("point", { detail: change }));
  }
}

// A place that a person clicks is meant to the millimetre.
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
