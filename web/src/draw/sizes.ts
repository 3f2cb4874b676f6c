// How large is a robot drawn, and how much room is there for words? Pixels are those of the device.

import type { Camera, Window } from "./camera";
import type { Pose } from "../run/motion";
import type { Body } from "../run/swarm";

const LEAST = 6; // pixels of the page: the radius at which one sees where a robot looks
const SMALLEST = 1.5; // and of the device, at which one still sees it
const SHARE = 0.35; // of the distance to the next robot, if they were spread evenly, that a radius may have

// The radius that every robot has at least. Where so many would hide each other, it is less.
export function leastRadius(bounds: Window | null, robots: number, camera: Camera, ratio: number): number {
  const area = bounds === null ? camera.width * camera.height
    : (bounds.right - bounds.left) * (bounds.top - bounds.bottom) * camera.scale ** 2;
  return Math.max(Math.min(LEAST * ratio, SHARE * Math.sqrt(area / Math.max(robots, 1))), SMALLEST);
}

// How many times larger than it is a robot is drawn, so that it can be seen.
export function enlargement(body: Body, camera: Camera, least: number): number {
  return Math.max(least / (body.radius * camera.scale), 1);
}

export function drawnRadius(body: Body, camera: Camera, least: number): number {
  return Math.max(body.radius * camera.scale, least);
}

// How far above its middle a body reaches, in metres: a long one that lies across reaches less than its radius.
export function reachUp({ shape, radius }: Body, { heading }: Pose): number {
  const [sin, cos] = [Math.sin(heading), Math.cos(heading)];
  switch (shape.kind) {
    case "disc":
      return radius;
    case "ellipse":
      return Math.hypot(shape.halfLength * sin, shape.halfWidth * cos);
    default:
      return Math.max(...shape.corners.map(([x, y]) => x * sin + y * cos));
  }
}

// 1, 2 or 5 times a power of ten: the least such number that is not below a value.
export function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return (([1, 2, 5, 10].find((step) => step * power >= value * (1 - 1e-9)) ?? 10)) * power;
}

// A length in metres, as a person reads it.
export function metres(length: number): string {
  if (length >= 1000) return `${Number((length / 1000).toPrecision(6))} km`;
  if (length >= 1) return `${Number(length.toPrecision(6))} m`;
  return length >= 0.01 ? `${Number((length * 100).toPrecision(6))} cm` : `${Number((length * 1000).toPrecision(6))} mm`;
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

// Where robots and words are already: a word that would lie upon one of them is left out.
export class Room {
  private readonly taken: Box[] = [];

  // Keeps words away from a robot.
  keep(x: number, y: number, radius: number): void {
    this.taken.push({ left: x - radius, right: x + radius, top: y - radius, bottom: y + radius });
  }

  take(left: number, top: number, width: number, height: number): boolean {
    const box = { left, right: left + width, top, bottom: top + height };
    const isFree = this.taken.every((one) => one.right < box.left || box.right < one.left || one.bottom < box.top || box.bottom < one.top);
    if (isFree) this.taken.push(box);
    return isFree;
  }
}
