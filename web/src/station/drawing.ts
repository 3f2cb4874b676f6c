// Draws what only a station knows: what was measured and where the chosen robot goes, below the robots; above them what was found,
// the colours of teams, and crosses on robots that were lost.

import type { Camera } from "../draw/camera";
import { poseAt, type Pose } from "../run/motion";
import { TEAMS, type Palette } from "../draw/palette";
import { drawnRadius } from "../draw/sizes";
import { wayOf } from "./records";
import type { SampleRecord } from "../types";
import type { StationSession } from "./session";
import type { Swarm } from "../run/swarm";

const CELL = 0.125; // metres around a place for which a measured value stands
const MOST_TEAMS = 2000; // robots whose team is drawn
const COLD = [33, 102, 172] as const;
const MIDDLE = [247, 247, 247] as const;
const WARM = [178, 24, 43] as const;
const HERE: Pose = { x: 0, y: 0, heading: 0 };

export interface Canvases {
  below: CanvasRenderingContext2D;
  above: CanvasRenderingContext2D;
  camera: Camera;
  ratio: number;
  least: number; // pixels of the radius that a robot is drawn with at least
}

export class StationDrawing {
  private readonly heat = document.createElement("canvas");
  private drawn: { samples: SampleRecord[]; view: string } | null = null;

  draw(canvases: Canvases, station: StationSession, swarm: Swarm, now: number, chosen: number | null, palette: Palette): void {
    this.measured(canvases, station);
    if (chosen !== null) drawWay(canvases, station, swarm, now, chosen, palette);
    drawFinds(canvases, station, palette);
    const teams = [...new Set([...station.robots.values()].map((robot) => robot.team))].sort();
    for (const [number, robot] of station.robots) {
      const body = swarm.bodies.get(number);
      if (body === undefined) continue;
      const { x, y } = poseAt(body.piece, now, HERE);
      const [px, py] = canvases.camera.toScreen(x, y);
      const radius = drawnRadius(body, canvases.camera, canvases.least);
      const color = TEAMS[teams.indexOf(robot.team) % TEAMS.length] ?? palette.text;
      if (station.robots.size <= MOST_TEAMS) ring(canvases, px, py, radius + 1.5 * canvases.ratio, color);
      if (robot.state === "lost") cross(canvases, px, py, radius, palette.contact);
    }
  }

  // Drawn once for each view, since there may be many thousand places.
  private measured({ below, camera, ratio }: Canvases, station: StationSession): void {
    const samples = station.layer?.samples;
    if (samples === undefined || samples.length === 0) return;
    const view = [camera.x, camera.y, camera.scale, camera.width, camera.height].join();
    if (this.drawn?.samples !== samples || this.drawn.view !== view) {
      this.drawn = { samples, view };
      this.heat.width = camera.width;
      this.heat.height = camera.height;
      const context = this.heat.getContext("2d");
      if (context !== null) drawSamples(context, camera, samples, ratio);
    }
    below.drawImage(this.heat, 0, 0);
  }
}

function drawSamples(context: CanvasRenderingContext2D, camera: Camera, samples: SampleRecord[], ratio: number): void {
  const [least, most] = rangeOf(samples.map((one) => one.value));
  const half = Math.max(CELL * camera.scale, 1.5 * ratio);
  context.globalAlpha = 0.7;
  for (const { at, value } of samples) {
    const [x, y] = camera.toScreen(at.x, at.y);
    context.fillStyle = heat(most > least ? (value - least) / (most - least) : 0.5);
    context.fillRect(x - half, y - half, 2 * half, 2 * half);
  }
}

// The chosen robot's way: through the places of what it does, and of what waits.
function drawWay(
  { below, camera, ratio }: Canvases, station: StationSession, swarm: Swarm, now: number, chosen: number, palette: Palette,
): void {
  const { monitor } = station;
  const body = swarm.bodies.get(chosen);
  if (monitor === null || body === undefined) return;
  const tasks = [...(monitor.task === null ? [] : [monitor.task]), ...monitor.waiting];
  const { x, y } = poseAt(body.piece, now, HERE);
  below.strokeStyle = palette.moving;
  below.lineWidth = 1.5 * ratio;
  below.setLineDash([3 * ratio, 4 * ratio]);
  below.beginPath();
  below.moveTo(...camera.toScreen(x, y));
  for (const at of tasks.flatMap(wayOf)) {
    const [px, py] = camera.toScreen(at.x, at.y);
    below.lineTo(px, py);
    below.moveTo(px + 4 * ratio, py);
    below.arc(px, py, 4 * ratio, 0, 2 * Math.PI);
    below.moveTo(px, py);
  }
  below.stroke();
  below.setLineDash([]);
}

function drawFinds({ above, camera, ratio }: Canvases, station: StationSession, palette: Palette): void {
  const size = 6 * ratio;
  above.font = `${Math.round(11 * ratio)}px system-ui, sans-serif`;
  above.textAlign = "left";
  for (const { at, name, media } of station.finds) {
    const [x, y] = camera.toScreen(at.x, at.y);
    above.beginPath();
    above.moveTo(x, y - size);
    above.lineTo(x + size, y);
    above.lineTo(x, y + size);
    above.lineTo(x - size, y);
    above.closePath();
    above.fillStyle = palette.forbidden;
    above.strokeStyle = palette.text;
    above.lineWidth = ratio;
    above.fill();
    above.stroke();
    above.fillStyle = palette.text;
    above.fillText(media === null ? name : `${name} ▸`, x + size + 3 * ratio, y + 4 * ratio);
  }
}

function ring({ above, ratio }: Canvases, x: number, y: number, radius: number, color: string): void {
  above.strokeStyle = color;
  above.lineWidth = 2 * ratio;
  above.beginPath();
  above.arc(x, y, radius, 0, 2 * Math.PI);
  above.stroke();
}

function cross({ above, ratio }: Canvases, x: number, y: number, size: number, color: string): void {
  above.strokeStyle = color;
  above.lineWidth = 3 * ratio;
  above.beginPath();
  above.moveTo(x - size, y - size);
  above.lineTo(x + size, y + size);
  above.moveTo(x - size, y + size);
  above.lineTo(x + size, y - size);
  above.stroke();
}

export function rangeOf(values: readonly number[]): [number, number] {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return values.length === 0 ? [0, 0] : [least, most];
}

// The colour of a share from 0, cold, to 1, warm.
export function heat(share: number): string {
  const [from, to, part] = share < 0.5 ? [COLD, MIDDLE, 2 * share] : [MIDDLE, WARM, 2 * share - 1];
  const mixed = from.map((value, at) => Math.round(value + part * ((to[at] ?? value) - value)));
  return `rgb(${mixed.join(", ")})`;
}
