// The work space: the picture, and pointing, dragging and zooming in it.

import { css, html, LitElement, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import { readTile, type Tile } from "./camera";
import { poseAt } from "./motion";
import type { Layers } from "./overlay";
import { readPalette, type Palette } from "./palette";
import { Picture } from "./picture";
import type { Session } from "./session";
import { bodyAt } from "./swarm";

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
  @property({ type: Boolean }) follows = false;
  @query("canvas.scenery") private scenery!: HTMLCanvasElement;
  @query("canvas.underlay") private underlay!: HTMLCanvasElement;
  @query("canvas.robots") private robots!: HTMLCanvasElement;
  @query("canvas.overlay") private overlay!: HTMLCanvasElement;
  picture: Picture | null = null;
  private palette: Palette = readPalette();
  private isFitted = true;
  private needsFit = true;
  private drag: { x: number; y: number; moved: number } | null = null;
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
        @pointerleave=${() => { this.point({ hovered: null }); }} @wheel=${this.wheel}></canvas>`;
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
    const shown = { now, pace, groups, solid, names, reach, ratio: devicePixelRatio, ...this.pointed };
    picture.draw(map, session.swarm, shown, this.layers, this.palette);
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
    this.drag = { ...this.place(event), moved: this.fingers.size > 1 ? Infinity : 0 };
  }

  private move(event: PointerEvent): void {
    const here = this.place(event);
    if (this.fingers.size === 2) {
      this.pinch(event.pointerId, here);
    } else if (this.drag === null) {
      this.point({ hovered: this.numberAt(here) });
    } else {
      const [dx, dy] = [here.x - this.drag.x, here.y - this.drag.y];
      const moved = this.drag.moved + Math.abs(dx) + Math.abs(dy);
      if (moved > CLICK) this.pan(dx, dy);
      this.drag = moved > CLICK ? { ...here, moved } : { ...this.drag, moved: this.drag.moved };
    }
    if (this.fingers.has(event.pointerId)) this.fingers.set(event.pointerId, here);
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
      this.point({ chosen: this.numberAt(this.place(event)) });
    }
    this.drag = null;
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const { x, y } = this.place(event);
    const lines = event.deltaMode === 1 ? 30 : 1;
    this.zoom(Math.exp(-event.deltaY * lines * 0.0015), x, y);
  }

  private numberAt({ x, y }: { x: number; y: number }): number | null {
    const camera = this.picture?.camera;
    if (camera === undefined) return null;
    const slack = (SLACK * devicePixelRatio) / camera.scale;
    return bodyAt(this.session.swarm, ...camera.toPlane(x, y), this.session.now, slack)?.number ?? null;
  }

  private point(change: Partial<Pointed>): void {
    this.dispatchEvent(new CustomEvent<Partial<Pointed>>("point", { detail: change }));
  }
}
