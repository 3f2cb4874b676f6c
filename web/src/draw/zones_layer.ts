// Draws the floor that robots have reserved, and, paler and below it, what they wait for.
//
// A zone is all floor within a radius of a path: a line with round ends, as wide as the zone, and again a little narrower, so that an edge
// is left. Pictures without a browser draw it by the same rule.

import type { Camera } from "./camera";
import type { Zone } from "../run/journal";
import type { Palette } from "./palette";

const EDGE = 1.25; // pixels

export function drawZones(
  context: CanvasRenderingContext2D, camera: Camera, zones: Iterable<Zone[]>, palette: Palette, ratio: number,
): void {
  const all = [...zones].flat();
  if (all.length === 0) return;
  context.save();
  context.lineCap = context.lineJoin = "round";
  for (const [isGranted, fill, edge] of [[false, palette.asked, palette.askedEdge], [true, palette.reserved, palette.reservedEdge]] as const) {
    const paths = pathsOf(all.filter((zone) => zone.isGranted === isGranted), camera);
    for (const [color, narrower] of [[edge, 0], [fill, EDGE * ratio]] as const) {
      context.strokeStyle = color;
      for (const [radius, path] of paths) {
        context.lineWidth = 2 * (radius * camera.scale - narrower);
        if (radius * camera.scale > narrower) context.stroke(path);
      }
    }
  }
  context.restore();
}

// One path for all zones of a radius: most robots are alike.
function pathsOf(zones: readonly Zone[], camera: Camera): Map<number, Path2D> {
  const paths = new Map<number, Path2D>();
  for (const { path, radius } of zones) {
    let whole = paths.get(radius);
    if (whole === undefined) paths.set(radius, (whole = new Path2D()));
    const [[x, y] = [0, 0], ...rest] = path;
    whole.moveTo(...camera.toScreen(x, y));
    for (const place of rest.length === 0 ? [[x, y] as const] : rest) whole.lineTo(...camera.toScreen(...place));
  }
  return paths;
}
