// The space–time diagram: time goes to the right, each robot has a line, messages are arrows between lines.
//
// It is linked to the map: the robot pointed at in one is marked in the other.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import { arrowsOf, type Arrow } from "../draw/arrows";
import type { Happening } from "../run/digest";
import { Filter, isMarked, shortened, zoomed, type Line } from "../draw/lines";
import { readPalette, typeColors } from "../draw/palette";
import type { Session } from "../session";
import { ticks } from "../study/results";
import { controls } from "./styles";
import type { Pointed } from "./work_space";

const MARGIN = 64; // pixels for names
const TOP = 22;
const SPANS = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300];
const TICKS = 8; // or so many instants that are written above
const BEFORE = 0.75; // share of the span that lies before the present

@customElement("kumi-diagram")
export class Diagram extends LitElement {
  @property({ attribute: false }) session!: Session;
  @property({ attribute: false }) pointed!: Pointed;
  @property({ type: Number }) tick = 0;
  @state() private span = 10;
  @state() private isGrouped = false;
  @state() private filter = new Filter("");
  @query("canvas") private canvas!: HTMLCanvasElement;
  private lines: readonly Line[] = [];

  static override styles = [controls, css`
    :host { display: flex; flex-direction: column; min-height: 0; }
    form { display: flex; gap: 10px; padding: 8px 10px; align-items: center; flex-wrap: wrap; border-bottom: 1px solid var(--line); }
    input[type="search"] { flex: 1 1 180px; min-width: 0; }
    canvas { flex: 1; width: 100%; min-height: 0; display: block; cursor: crosshair; }
    ul { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 12px; margin: 0; padding: 0; }
    svg { vertical-align: -1px; margin-right: 4px; }
  `];

  protected override render(): TemplateResult {
    return html`
      <form @submit=${(event: Event) => { event.preventDefault(); }}>
        <label><span class="quiet">span</span>
          <select aria-label="Span of the diagram" @change=${(event: Event) => { this.span = Number((event.target as HTMLSelectElement).value); }}>
            ${[...new Set([...SPANS, this.span])].sort((one, other) => one - other).map((one) => html`<option value=${one} ?selected=${one === this.span}>${one} s</option>`)}
          </select></label>
        <input type="search" aria-label="Filter of the diagram" placeholder="robots or messages, such as 3 5 Question"
          @input=${(event: Event) => { this.filter = new Filter((event.target as HTMLInputElement).value); }} />
        ${this.hasGroups ? html`<label><input type="checkbox" .checked=${this.isGrouped} @change=${() => { this.isGrouped = !this.isGrouped; }} /> by team</label>` : nothing}
        <ul aria-label="Types of messages">${typeColors.seen.map(([type, color]) => html`<li>
          <svg width="10" height="10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill=${color}></circle></svg>${type}</li>`)}</ul>
      </form>
      <canvas role="img" aria-label="Space–time diagram: one line a robot, messages as arrows" @pointermove=${this.hover}
        @pointerleave=${() => { this.point({ hovered: null }); }} @click=${this.choose} @wheel=${this.wheel}></canvas>`;
  }

  protected override updated(): void {
    const ratio = devicePixelRatio;
    const width = Math.round(this.canvas.clientWidth * ratio);
    const height = Math.round(this.canvas.clientHeight * ratio);
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    const context = this.canvas.getContext("2d");
    if (context === null) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.draw(context, this.canvas.clientWidth, this.canvas.clientHeight);
  }

  private get start(): number {
    return this.session.now - BEFORE * this.span;
  }

  private draw(context: CanvasRenderingContext2D, width: number, height: number): void {
    const { session, pointed } = this;
    const palette = readPalette();
    this.lines = this.filter.lines({
      robots: [...session.swarm.bodies.keys()], nameOf: (robot) => this.nameOf(robot), groupOf: (robot) => this.groupOf(robot),
    }, this.isGrouped && this.hasGroups);
    const lines = new Map(this.lines.map(({ robot }, line) => [robot, this.lineAt(line, height)]));
    const acrossOf = (time: number): number => MARGIN + ((time - this.start) / this.span) * (width - MARGIN - 8);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, sans-serif";
    drawTicks(context, this.start, this.span, acrossOf, palette.faint, palette.text);
    const gap = (height - TOP) / Math.max(this.lines.length, 1);
    for (const { group, isFirst, robot } of this.lines) if (isFirst) drawGroup(context, group, (lines.get(robot) ?? 0) - gap / 2, width, palette.text);
    for (const [number, y] of lines) {
      const isMarked = number === pointed.hovered || number === pointed.chosen;
      context.strokeStyle = isMarked ? palette.moving : palette.faint;
      context.lineWidth = isMarked ? 2 : Math.min(gap / 6, 1);
      stroke(context, MARGIN, y, width - 8, y);
      if (gap < 11 && !isMarked) continue;
      context.fillStyle = palette.text;
      context.textAlign = "right";
      context.fillText(shortened(this.nameOf(number), (text) => context.measureText(text).width <= MARGIN - 8), MARGIN - 6, y + 4);
    }
    const happenings = session.timeline.between(this.start - this.span, this.start + this.span);
    context.save();
    context.beginPath();
    context.rect(MARGIN, 0, width - MARGIN - 8, height);
    context.clip();
    const isMeant = this.filter.messages(typeColors.seen.map(([type]) => type));
    for (const arrow of arrowsOf(happenings)) if (isMeant(arrow.type)) drawArrow(context, arrow, lines, acrossOf, session.end);
    for (const one of happenings) if (isMarked(one.kind, gap)) drawMark(context, one, lines, acrossOf, palette.contact, palette.text);
    context.restore();
    context.strokeStyle = palette.text;
    context.lineWidth = 1;
    stroke(context, acrossOf(session.now), TOP - 6, acrossOf(session.now), height);
  }

  private lineAt(line: number, height: number): number {
    return TOP + ((line + 0.5) * (height - TOP)) / Math.max(this.lines.length, 1);
  }

  private nameOf(robot: number): string {
    return this.session.meta?.robots[String(robot)] ?? String(robot);
  }

  private get hasGroups(): boolean {
    return this.session.stationSession !== null || this.session.groups.hasTeams;
  }

  private groupOf(robot: number): string {
    return this.session.stationSession?.robots.get(robot)?.team ?? this.session.groups.teamOf(robot);
  }

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    this.span = zoomed(this.span, event.deltaY * (event.deltaMode === 1 ? 30 : 1));
  }

  private numberAt(event: MouseEvent): number | null {
    const line = Math.floor(((event.offsetY - TOP) / (this.canvas.clientHeight - TOP)) * this.lines.length);
    return this.lines[line]?.robot ?? null;
  }

  private hover(event: PointerEvent): void {
    this.point({ hovered: this.numberAt(event) });
  }

  private choose(event: MouseEvent): void {
    const share = (event.offsetX - MARGIN) / (this.canvas.clientWidth - MARGIN - 8);
    this.point({ chosen: this.numberAt(event) });
    if (share < 0) return;
    const instant = this.start + share * this.span;
    this.session.pause();
    this.session.seek(instant);
  }

  private point(change: Partial<Pointed>): void {
    this.dispatchEvent(new CustomEvent<Partial<Pointed>>("point", { detail: change }));
  }
}

function drawGroup(context: CanvasRenderingContext2D, group: string, y: number, width: number, color: string): void {
  context.strokeStyle = context.fillStyle = color;
  context.lineWidth = 1;
  stroke(context, 0, y, width, y);
  context.textAlign = "left";
  context.fillText(group, 4, y + 11);
}

function stroke(context: CanvasRenderingContext2D, x: number, y: number, toX: number, toY: number): void {
  context.beginPath();
  context.moveTo(x, y);
  context.lineTo(toX, toY);
  context.stroke();
}

function drawTicks(
  context: CanvasRenderingContext2D, start: number, span: number, acrossOf: (time: number) => number, line: string, text: string,
): void {
  context.textAlign = "center";
  for (const time of ticks(start, start + span, TICKS)) {
    context.strokeStyle = line;
    context.lineWidth = 0.5;
    stroke(context, acrossOf(time), TOP - 4, acrossOf(time), 10000);
    context.fillStyle = text;
    context.fillText(String(Number(time.toFixed(4))), acrossOf(time), 12);
  }
}

function drawArrow(
  context: CanvasRenderingContext2D, arrow: Arrow, lines: Map<number, number>, acrossOf: (time: number) => number, end: number,
): void {
  const from = lines.get(arrow.sender);
  const to = lines.get(arrow.receiver);
  if (from === undefined || to === undefined) return;
  const [x, toX] = [acrossOf(arrow.begun), acrossOf(Math.min(arrow.over, end))];
  context.strokeStyle = context.fillStyle = typeColors.of(arrow.type);
  context.lineWidth = 1;
  context.setLineDash(arrow.isDropped ? [3, 3] : []);
  stroke(context, x, from, toX, to);
  context.setLineDash([]);
  context.beginPath();
  if (arrow.isDropped) {
    context.moveTo(toX - 3, to - 3);
    context.lineTo(toX + 3, to + 3);
    context.moveTo(toX - 3, to + 3);
    context.lineTo(toX + 3, to - 3);
    context.stroke();
  } else {
    const angle = Math.atan2(to - from, toX - x);
    context.moveTo(toX, to);
    for (const side of [-0.4, 0.4]) context.lineTo(toX - 7 * Math.cos(angle + side), to - 7 * Math.sin(angle + side));
    context.fill();
  }
}

function drawMark(
  context: CanvasRenderingContext2D, one: Happening, lines: Map<number, number>, acrossOf: (time: number) => number,
  contact: string, text: string,
): void {
  const y = lines.get(one.body);
  if (y === undefined) return;
  context.fillStyle = one.kind === "contact" ? contact : text;
  const size = one.kind === "contact" ? 3.5 : 1.5;
  context.beginPath();
  context.arc(acrossOf(one.time), y, size, 0, 2 * Math.PI);
  context.fill();
}
