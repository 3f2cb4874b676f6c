// Draws where sensors look: fields as sectors, beams as lines up to what they meet. What is met is found from the map and
// the robots at the instant shown; readings themselves are not in a run.

import type { Camera } from "./camera";
import { poseAt, type Pose } from "../run/motion";
import { isClear } from "./palette";
import { boundsOf, materialOf, type MapTable } from "./scenery";
import type { Body, Swarm } from "../run/swarm";

export interface SensorField {
  name: string;
  reach: number;
  view: number; // radians; 0 is a beam
  bearing: number;
  offset: number;
  rays: number; // beams over the view; 0 for one that is no scan
}

type Segment = [ax: number, ay: number, bx: number, by: number];
type Round = [x: number, y: number, radius: number];

export interface Solid {
  segments: Segment[];
  rounds: Round[];
}

const MOST_ROBOTS = 40; // with more of them, only the sensors of the one pointed at are drawn
const MOST_RAYS = 120; // of one scan
const HERE: Pose = { x: 0, y: 0, heading: 0 };
const THERE: Pose = { x: 0, y: 0, heading: 0 };

// What stops a beam of light, of a map.
export function solidOf(map: MapTable): Solid {
  const solid: Solid = { segments: [], rounds: [] };
  const ring = (corners: [number, number][]): void => {
    corners.forEach(([x, y], number) => {
      const [nx, ny] = corners[(number + 1) % corners.length] ?? [x, y];
      solid.segments.push([x, y, nx, ny]);
    });
  };
  const box = (left: number, bottom: number, right: number, top: number): void => {
    ring([[left, bottom], [right, bottom], [right, top], [left, top]]);
  };
  const bounds = boundsOf(map);
  if (bounds !== null) box(bounds.left, bounds.bottom, bounds.right, bounds.top);
  for (const thing of map.obstacles ?? []) {
    const area = thing["pillar"] ?? thing["block"];
    const { name, stops_light: stopsLight } = materialOf(thing);
    if (stopsLight === false || isClear(name)) continue;
    if ("wall" in thing) {
      const [[ax, ay], [bx, by]] = thing["wall"] as [[number, number], [number, number]];
      solid.segments.push([ax, ay, bx, by]);
    } else if (typeof thing["radius"] === "number") solid.rounds.push([...(area as [number, number]), thing["radius"]]);
    else if (Array.isArray(thing["size"])) {
      const [x, y] = area as [number, number];
      const [width, height] = thing["size"] as [number, number];
      box(x, y, x + width, y + height);
    } else ring(area as [number, number][]);
  }
  return solid;
}

// How far a beam gets from a place before it meets something.
export function beamLength(x: number, y: number, angle: number, reach: number, solid: Solid): number {
  const [ux, uy] = [Math.cos(angle), Math.sin(angle)];
  let length = reach;
  for (const [ax, ay, bx, by] of solid.segments) {
    const [dx, dy] = [bx - ax, by - ay];
    const across = ux * dy - uy * dx;
    if (across === 0) continue;
    const along = ((ax - x) * dy - (ay - y) * dx) / across;
    const share = ((ax - x) * uy - (ay - y) * ux) / across;
    if (along >= 0 && along < length && share >= 0 && share <= 1) length = along;
  }
  for (const [cx, cy, radius] of solid.rounds) {
    const middle = (cx - x) * ux + (cy - y) * uy;
    const aside = (cx - x) ** 2 + (cy - y) ** 2 - middle ** 2;
    if (aside > radius ** 2) continue;
    const along = middle - Math.sqrt(radius ** 2 - aside);
    if (along >= 0 && along < length) length = along;
  }
  return length;
}

export interface SensorScene {
  context: CanvasRenderingContext2D;
  camera: Camera;
  swarm: Swarm;
  now: number;
  ratio: number;
  pointed: number | null;
  fieldsOf: (number: number) => readonly SensorField[];
  solid: Solid;
  color: string;
}

export function drawSensors(scene: SensorScene): void {
  const { context, swarm, pointed } = scene;
  const bodies = swarm.bodies.size <= MOST_ROBOTS ? [...swarm.bodies.values()] : [];
  const one = pointed === null ? undefined : swarm.bodies.get(pointed);
  if (bodies.length === 0 && one !== undefined) bodies.push(one);
  context.strokeStyle = context.fillStyle = scene.color;
  context.lineWidth = scene.ratio;
  for (const body of bodies) for (const field of scene.fieldsOf(body.number)) drawField(scene, body, field);
  context.globalAlpha = 1;
}

function drawField(scene: SensorScene, body: Body, field: SensorField): void {
  const { context, camera, now } = scene;
  poseAt(body.piece, now, HERE);
  const direction = HERE.heading + field.bearing;
  const rays = field.view === 0 ? 1 : Math.min(field.rays, MOST_RAYS);
  const [x, y] = camera.toScreen(HERE.x, HERE.y);
  const far = (field.offset + field.reach) * camera.scale;
  context.beginPath();
  if (rays === 0) {
    const isRound = field.view >= 2 * Math.PI - 1e-9;
    if (!isRound) context.moveTo(x, y);
    context.arc(x, y, far, -direction - field.view / 2, -direction + field.view / 2);
    if (!isRound) context.closePath();
    context.globalAlpha = 0.1;
    context.fill();
    context.globalAlpha = 0.5;
    context.stroke();
    return;
  }
  const solid = { ...scene.solid, rounds: [...scene.solid.rounds, ...roundsBeside(scene, body, field)] };
  for (let ray = 0; ray < rays; ray += 1) {
    const angle = direction + (rays === 1 ? 0 : field.view * (ray / (field.view >= 2 * Math.PI - 1e-9 ? rays : rays - 1) - 0.5));
    const [sx, sy] = [HERE.x + field.offset * Math.cos(angle), HERE.y + field.offset * Math.sin(angle)];
    const length = beamLength(sx, sy, angle, field.reach, solid);
    const [ex, ey] = camera.toScreen(sx + length * Math.cos(angle), sy + length * Math.sin(angle));
    context.moveTo(...camera.toScreen(sx, sy));
    context.lineTo(ex, ey);
    if (length < field.reach) context.rect(ex - 1.5 * scene.ratio, ey - 1.5 * scene.ratio, 3 * scene.ratio, 3 * scene.ratio);
  }
  context.globalAlpha = 0.6;
  context.stroke();
}

// Other robots that a sensor may meet, as circles around them.
function roundsBeside({ swarm, now }: SensorScene, body: Body, field: SensorField): Round[] {
  const found: Round[] = [];
  for (const other of swarm.bodies.values()) {
    if (other === body) continue;
    poseAt(other.piece, now, THERE);
    if (Math.hypot(THERE.x - HERE.x, THERE.y - HERE.y) <= field.offset + field.reach + other.radius) found.push([THERE.x, THERE.y, other.radius]);
  }
  return found;
}
