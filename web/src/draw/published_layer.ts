// Draws the maps, paths and marks that programs show. A map lies on the true one, which is seen through it.

import type { Camera } from "./camera";
import { NOBODY } from "../run/journal";
import { rgb, type Palette } from "./palette";
import { TAKEN, UNSEEN, type Places, type Published, type ShownMap, type Showings } from "../run/published";

const FREE_COVER = 0.55; // how much of the truth below a cell covers
const TAKEN_COVER = 0.85;
const MARK = 6; // pixels

interface Painted {
  canvas: HTMLCanvasElement;
  colors: string;
}

const painted = new WeakMap<ShownMap, Painted>(); // what stands long is painted once

// A map as a picture with a pixel a cell, the highest row at the top.
export function mapCanvas(map: ShownMap, palette: Palette): HTMLCanvasElement {
  const colors = palette.believedFree + palette.believedTaken;
  const known = painted.get(map);
  if (known?.colors === colors) return known.canvas;
  const canvas = document.createElement("canvas");
  canvas.width = map.columns;
  canvas.height = map.rows;
  const context = canvas.getContext("2d");
  if (context !== null && map.columns > 0 && map.rows > 0) {
    const image = context.createImageData(map.columns, map.rows);
    image.data.set(mapPixels(map, rgb(palette.believedFree), rgb(palette.believedTaken)));
    context.putImageData(image, 0, 0);
  }
  painted.set(map, { canvas, colors });
  return canvas;
}

export function mapPixels(map: ShownMap, free: readonly number[], taken: readonly number[]): Uint8ClampedArray {
  const pixels = new Uint8ClampedArray(4 * map.rows * map.columns);
  map.cells.forEach((value, at) => {
    if (value === UNSEEN) return;
    const row = map.rows - 1 - Math.floor(at / map.columns);
    const isFree = value < TAKEN / 2;
    const [red = 0, green = 0, blue = 0] = isFree ? free : taken;
    pixels.set([255 * red, 255 * green, 255 * blue, 255 * (isFree ? FREE_COVER : TAKEN_COVER)], 4 * (row * map.columns + (at % map.columns)));
  });
  return pixels;
}

function* valuesOf(showings: Showings): Generator<[string, Published]> {
  for (const [body, own] of showings.of) if (body !== NOBODY) yield* own;
}

export function drawMaps(context: CanvasRenderingContext2D, camera: Camera, showings: Showings, palette: Palette): void {
  const drawn = showings.mapDrawn;
  if (drawn === "") return;
  context.save();
  context.imageSmoothingEnabled = false;
  for (const [name, value] of valuesOf(showings)) {
    if (name !== drawn || typeof value !== "object" || value.kind !== "map") continue;
    const [left, top] = camera.toScreen(value.x, value.y + value.rows * value.cell);
    const [right, bottom] = camera.toScreen(value.x + value.columns * value.cell, value.y);
    context.drawImage(mapCanvas(value, palette), left, top, right - left, bottom - top);
  }
  context.restore();
}

export function drawPaths(context: CanvasRenderingContext2D, camera: Camera, showings: Showings, palette: Palette, ratio: number): void {
  context.strokeStyle = palette.path;
  context.lineWidth = 2 * ratio;
  context.beginPath();
  for (const { places } of placesOf(showings, "path"))
    places.forEach((place, number) => { context[number === 0 ? "moveTo" : "lineTo"](...camera.toScreen(...place)); });
  context.stroke();
}

// A diamond at each place, and the name at the last of them.
export function drawMarks(context: CanvasRenderingContext2D, camera: Camera, showings: Showings, palette: Palette, ratio: number): void {
  const size = MARK * ratio;
  context.fillStyle = palette.mark;
  context.strokeStyle = palette.plane;
  context.lineWidth = ratio;
  context.font = `${Math.round(12 * ratio)}px system-ui, sans-serif`;
  context.textAlign = "left";
  for (const { name, places } of placesOf(showings, "marks")) {
    let last: [number, number] = [0, 0];
    for (const place of places) {
      const [x, y] = (last = camera.toScreen(...place));
      context.beginPath();
      for (const [dx, dy] of [[0, -size], [size, 0], [0, size], [-size, 0]] as const) context.lineTo(x + dx, y + dy);
      context.closePath();
      context.fill();
      context.stroke();
    }
    if (places.length > 0) context.fillText(name, last[0] + 1.5 * size, last[1] + size / 2);
  }
}

function* placesOf(showings: Showings, kind: Places["kind"]): Generator<{ name: string; places: [number, number][] }> {
  for (const [name, value] of valuesOf(showings)) if (typeof value === "object" && value.kind === kind) yield { name, places: value.places };
}
