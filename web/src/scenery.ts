// Draws what never moves: the plane, obstacles, terrain. Drawn anew only when the camera moves.

import type { Camera, Window } from "./camera";
import type { Palette } from "./palette";

export interface MapTable {
  width?: number;
  height?: number;
  origin?: [number, number];
  obstacles?: Thing[];
  terrain?: Thing[];
}

export type Thing = Record<string, unknown>;

type Pair = [number, number];

export function boundsOf(map: MapTable): Window | null {
  if (map.width === undefined || map.height === undefined) return null;
  const [left, bottom] = map.origin ?? [0, 0];
  return { left, bottom, right: left + map.width, top: bottom + map.height };
}

export function drawScenery(context: CanvasRenderingContext2D, camera: Camera, map: MapTable, palette: Palette): void {
  context.fillStyle = palette.ground;
  context.fillRect(0, 0, camera.width, camera.height);
  const bounds = boundsOf(map);
  if (bounds === null) {
    context.fillStyle = palette.plane;
    context.fillRect(0, 0, camera.width, camera.height);
  } else {
    const [x, y] = camera.toScreen(bounds.left, bounds.top);
    const width = (bounds.right - bounds.left) * camera.scale;
    const height = (bounds.top - bounds.bottom) * camera.scale;
    context.fillStyle = palette.plane;
    context.fillRect(x, y, width, height);
    context.strokeStyle = palette.border;
    context.lineWidth = 2;
    context.strokeRect(x, y, width, height);
  }
  for (const thing of map.terrain ?? []) drawTerrain(context, camera, thing, palette);
  for (const thing of map.obstacles ?? []) drawObstacle(context, camera, thing, palette);
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

function drawObstacle(context: CanvasRenderingContext2D, camera: Camera, thing: Thing, palette: Palette): void {
  context.fillStyle = context.strokeStyle = palette.obstacle;
  if ("wall" in thing) {
    const [start, end] = thing["wall"] as [Pair, Pair];
    context.lineWidth = Math.max(((thing["thickness"] as number | undefined) ?? 0) * camera.scale, 1.5);
    context.lineCap = "round";
    context.beginPath();
    context.moveTo(...camera.toScreen(...start));
    context.lineTo(...camera.toScreen(...end));
    context.stroke();
    return;
  }
  outline(context, camera, thing["pillar"] ?? thing["block"], thing);
  context.fill();
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
