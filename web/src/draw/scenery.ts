// Draws what never moves: the plane, obstacles, terrain. The grid lies upon the plane. Drawn anew only when the camera moves, or an
// obstacle comes or goes.

import type { Camera, Window } from "./camera";
import { coatOf, type Coat, type Palette } from "./palette";
import { roundUp } from "./sizes";

export interface MapTable {
  width?: number;
  height?: number;
  origin?: [number, number];
  obstacles?: Thing[];
  terrain?: Thing[];
}

export type Thing = Record<string, unknown>;

const CELL = 60; // pixels of the page that a cell of the grid has at least
const EDGE = 1.5; // pixels of an edge
const THIN = 4; // pixels up to which a wall is too thin for an edge

type Pair = [number, number];

// All obstacles that stand now, by number: those of the map that are not gone, and those that came.
export function obstaclesOf(map: MapTable, came: ReadonlyMap<number, Thing>, left: ReadonlySet<number>): Map<number, Thing> {
  const things = new Map<number, Thing>();
  (map.obstacles ?? []).forEach((thing, number) => { if (!left.has(number)) things.set(number, thing); });
  for (const [number, thing] of came) things.set(number, thing);
  return things;
}

// The obstacle nearest to a place, no farther than `slack` metres from it.
export function obstacleAt(things: ReadonlyMap<number, Thing>, x: number, y: number, slack: number): number | null {
  let nearest: number | null = null;
  let least = slack;
  for (const [number, thing] of things) {
    const away = distanceTo(thing, x, y);
    if (away > least) continue;
    nearest = number;
    least = away;
  }
  return nearest;
}

export function distanceTo(thing: Thing, x: number, y: number): number {
  if ("wall" in thing) {
    const [start, end] = thing["wall"] as [Pair, Pair];
    return Math.max(distanceToSide(start, end, x, y) - ((thing["thickness"] as number | undefined) ?? 0) / 2, 0);
  }
  const area = thing["pillar"] ?? thing["block"];
  if (typeof thing["radius"] === "number") {
    const [cx, cy] = area as Pair;
    return Math.max(Math.hypot(x - cx, y - cy) - thing["radius"], 0);
  }
  const corners = cornersOf(area, thing);
  let isInside = false;
  let least = Infinity;
  for (const [at, corner] of corners.entries()) {
    const before = corners.at(at - 1) ?? corner;
    least = Math.min(least, distanceToSide(before, corner, x, y));
    const [[ax, ay], [bx, by]] = [before, corner];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) isInside = !isInside;
  }
  return isInside ? 0 : least;
}

function cornersOf(area: unknown, thing: Thing): Pair[] {
  if (!Array.isArray(thing["size"])) return area as Pair[];
  const [left, bottom] = area as Pair;
  const [width, height] = thing["size"] as Pair;
  return [[left, bottom], [left + width, bottom], [left + width, bottom + height], [left, bottom + height]];
}

function distanceToSide([ax, ay]: Pair, [bx, by]: Pair, x: number, y: number): number {
  const [ux, uy] = [bx - ax, by - ay];
  const share = Math.min(Math.max(((x - ax) * ux + (y - ay) * uy) / (ux * ux + uy * uy || 1), 0), 1);
  return Math.hypot(x - ax - share * ux, y - ay - share * uy);
}

export function boundsOf(map: MapTable): Window | null {
  if (map.width === undefined || map.height === undefined) return null;
  const [left, bottom] = map.origin ?? [0, 0];
  return { left, bottom, right: left + map.width, top: bottom + map.height };
}

export function drawScenery(
  context: CanvasRenderingContext2D, camera: Camera, map: MapTable, obstacles: Iterable<Thing>, palette: Palette, grid: number | null,
): void {
  context.fillStyle = palette.ground;
  context.fillRect(0, 0, camera.width, camera.height);
  context.fillStyle = palette.plane;
  const bounds = boundsOf(map);
  if (bounds === null) {
    context.fillRect(0, 0, camera.width, camera.height);
    if (grid !== null) drawGrid(context, camera, null, palette, grid);
  } else {
    const [x, y] = camera.toScreen(bounds.left, bounds.top);
    const width = (bounds.right - bounds.left) * camera.scale;
    const height = (bounds.top - bounds.bottom) * camera.scale;
    context.fillRect(x, y, width, height);
    if (grid !== null) drawGrid(context, camera, bounds, palette, grid);
    context.strokeStyle = palette.border;
    context.lineWidth = 2;
    context.strokeRect(x, y, width, height);
  }
  for (const thing of map.terrain ?? []) drawTerrain(context, camera, thing, palette);
  for (const thing of obstacles) drawObstacle(context, camera, thing, palette);
}

// Metres between two lines of the grid, which lie on multiples of them: as many as the scale bar has.
export function gridStep(camera: Camera, ratio: number): number {
  return roundUp((CELL * ratio) / camera.scale);
}

function drawGrid(context: CanvasRenderingContext2D, camera: Camera, bounds: Window | null, palette: Palette, ratio: number): void {
  const step = gridStep(camera, ratio);
  const [left, top] = camera.toPlane(0, 0);
  const [right, bottom] = camera.toPlane(camera.width, camera.height);
  const area = {
    left: Math.max(left, bounds?.left ?? -Infinity), right: Math.min(right, bounds?.right ?? Infinity),
    bottom: Math.max(bottom, bounds?.bottom ?? -Infinity), top: Math.min(top, bounds?.top ?? Infinity),
  };
  context.strokeStyle = palette.grid;
  context.lineWidth = ratio;
  context.beginPath();
  for (let at = Math.ceil(area.left / step); at * step <= area.right; at += 1) {
    context.moveTo(...camera.toScreen(at * step, area.bottom));
    context.lineTo(...camera.toScreen(at * step, area.top));
  }
  for (let at = Math.ceil(area.bottom / step); at * step <= area.top; at += 1) {
    context.moveTo(...camera.toScreen(area.left, at * step));
    context.lineTo(...camera.toScreen(area.right, at * step));
  }
  context.stroke();
}

function drawTerrain(context: CanvasRenderingContext2D, camera: Camera, thing: Thing, palette: Palette): void {
  const colors = { slow: [palette.slow, palette.slowEdge], hole: [palette.hole, ""], forbidden: [palette.forbidden, palette.forbiddenEdge] };
  for (const [kind, [fill, edge]] of Object.entries(colors) as [string, [string, string]][]) {
    if (!(kind in thing)) continue;
    outline(context, camera, thing[kind], thing);
    context.fillStyle = fill;
    context.fill();
    if (edge === "") continue;
    context.strokeStyle = edge;
    context.lineWidth = 1.5;
    context.stroke();
  }
}

// The material of an obstacle: the name of a known one, or a table that describes one.
export function materialOf(thing: Thing): { name: string; colour?: string; stops_light?: boolean } {
  const material = thing["material"] ?? "solid";
  return typeof material === "string" ? { name: material } : (material as { name: string });
}

// How an obstacle is drawn: as its material, or as something solid in its colour.
export function lookOf(thing: Thing, palette: Palette): Coat {
  const { name, colour } = materialOf(thing);
  return coatOf(name) ?? { fill: colour ?? palette.obstacle, edge: "", dash: [], isClear: false };
}

function drawObstacle(context: CanvasRenderingContext2D, camera: Camera, thing: Thing, palette: Palette): void {
  const look = lookOf(thing, palette);
  if ("wall" in thing) {
    const width = Math.max(((thing["thickness"] as number | undefined) ?? 0) * camera.scale, 1.5);
    if (width <= THIN || look.edge === "") {
      drawWall(context, camera, thing, width, look.isClear || look.dash.length > 0 ? look.edge : look.fill, look.dash);
      return;
    }
    drawWall(context, camera, thing, width, look.edge, look.dash);
    drawWall(context, camera, thing, width - 2 * EDGE, look.fill, []);
    return;
  }
  outline(context, camera, thing["pillar"] ?? thing["block"], thing);
  context.fillStyle = look.fill;
  context.fill();
  if (look.edge === "") return;
  context.strokeStyle = look.edge;
  context.lineWidth = EDGE;
  context.setLineDash([...look.dash]);
  context.stroke();
  context.setLineDash([]);
}

function drawWall(
  context: CanvasRenderingContext2D, camera: Camera, thing: Thing, width: number, color: string, dash: readonly number[],
): void {
  const [start, end] = thing["wall"] as [Pair, Pair];
  context.strokeStyle = color;
  context.lineWidth = width;
  context.lineCap = dash.length > 0 ? "butt" : "round";
  context.setLineDash([...dash]);
  context.beginPath();
  context.moveTo(...camera.toScreen(...start));
  context.lineTo(...camera.toScreen(...end));
  context.stroke();
  context.setLineDash([]);
}

// A round thing has a radius, a rectangle a size, any other is a list of corners.
function outline(context: CanvasRenderingContext2D, camera: Camera, area: unknown, thing: Thing): void {
  context.beginPath();
  if (typeof thing["radius"] === "number") {
    const [x, y] = camera.toScreen(...(area as Pair));
    context.arc(x, y, thing["radius"] * camera.scale, 0, 2 * Math.PI);
    return;
  }
  if (Array.isArray(thing["size"])) {
    const [left, bottom] = area as Pair;
    const [width, height] = thing["size"] as Pair;
    context.rect(...camera.toScreen(left, bottom + height), width * camera.scale, height * camera.scale);
    return;
  }
  for (const corner of area as Pair[]) context.lineTo(...camera.toScreen(...corner));
  context.closePath();
}
