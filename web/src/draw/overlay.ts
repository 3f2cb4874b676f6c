// Draws what comes and goes: below the robots reserved floor, trails, goals, reach, messages; above them contacts, names, the ones pointed at.

import type { Camera } from "./camera";
import { isMoving, poseAt, type Pose } from "../run/motion";
import type { Groups } from "./groups";
import { typeColors, type Palette } from "./palette";
import { drawSensors, type Solid } from "./sensors";
import { drawnRadius, enlargement, reachUp, Room } from "./sizes";
import { trailSince, type Body, type Swarm } from "../run/swarm";
import { drawMaps, drawMarks, drawPaths } from "./published_layer";
import { drawZones } from "./zones_layer";

export interface Layers {
  colors: boolean; // of robots, by what they show
  maps: boolean; // that programs show
  marks: boolean; // and paths
  grid: boolean;
  reserved: boolean;
  trails: boolean;
  goals: boolean;
  reach: boolean;
  sensors: boolean;
  teams: boolean;
  lost: boolean;
  messages: boolean;
  contacts: boolean;
  names: boolean;
  station: boolean; // what only a station knows
}

const FLASH = 0.6; // seconds of the wall clock for which a contact is shown
const LINGER = 0.3; // and a message after it arrived
const LEAST_NAMED = 4; // pixels of the radius of a robot whose name is written, where there are many
const FEW = 200; // robots: those are named however small they are
const MOST_NAMES = 400;
const MOST_TRAILS = 500;
const MOST_FLIGHTS = 2000;
const DOT = 2.5; // pixels of the radius of a message
const PALE = 0.4; // how much of the line of a message is seen: robots come first
export interface Shown {
  now: number;
  since: number; // from when on what comes and goes is remembered
  pace: number; // seconds of the run a second of the wall clock
  chosen: number | null;
  hovered: number | null;
  names: Record<string, string>;
  reach: number | null; // of the radios
  ratio: number; // pixels of the device a pixel of the page
  least: number; // pixels of the radius that a robot is drawn with at least
  groups: Groups;
  solid: Solid;
}

export interface Brush {
  context: CanvasRenderingContext2D;
  camera: Camera;
  swarm: Swarm;
  shown: Shown;
  palette: Palette;
}

const HERE: Pose = { x: 0, y: 0, heading: 0 };
const THERE: Pose = { x: 0, y: 0, heading: 0 };

// What lies below the robots.
export function drawUnderlay(brush: Brush, layers: Layers): void {
  const { context, camera, shown } = brush;
  context.clearRect(0, 0, camera.width, camera.height);
  const { showings } = brush.swarm;
  if (layers.maps && showings.lying > 0) drawMaps(context, camera, showings, brush.palette);
  if (layers.reserved) drawZones(context, camera, brush.swarm.zones.values(), brush.palette, shown.ratio);
  if (layers.trails) drawTrails(brush);
  if (layers.goals) drawGoals(brush);
  if (layers.marks && showings.lying > 0) drawPaths(context, camera, showings, brush.palette, shown.ratio);
  if (layers.reach && shown.reach !== null) drawReach(brush, shown.reach);
  if (layers.sensors && shown.groups.hasSensors) {
    const { now, ratio, groups, solid } = shown;
    const pointed = shown.chosen ?? shown.hovered;
    drawSensors({ context, camera, swarm: brush.swarm, now, ratio, pointed, fieldsOf: groups.fieldsOf, solid, color: brush.palette.resting });
  }
  if (layers.messages) drawMessages(brush);
}

export function drawOverlay(brush: Brush, layers: Layers): void {
  const { context, camera, swarm, shown } = brush;
  context.clearRect(0, 0, camera.width, camera.height);
  if (!swarm.isRound) drawShapes(brush, layers.teams, layers.colors && swarm.showings.hasColors);
  if (layers.marks && swarm.showings.lying > 0) drawMarks(context, camera, swarm.showings, brush.palette, shown.ratio);
  if (layers.lost && swarm.lost.size > 0) drawLost(brush);
  if (layers.contacts) drawContacts(brush);
  if (layers.names) drawNames(brush);
  for (const [number, dash] of [[shown.hovered, []], [shown.chosen, [4, 3]]] as const) {
    const body = number === null ? undefined : swarm.bodies.get(number);
    if (body !== undefined) drawRing(brush, body, dash);
  }
}

function drawTrails({ context, camera, swarm, shown, palette }: Brush): void {
  if (swarm.bodies.size > MOST_TRAILS) return;
  context.strokeStyle = palette.trail;
  context.lineWidth = 1.25 * shown.ratio;
  context.beginPath();
  for (const body of swarm.bodies.values()) {
    const places = trailSince(body, shown.since);
    places.forEach((place, number) => { context[number === 0 ? "moveTo" : "lineTo"](...camera.toScreen(...place)); });
    poseAt(body.piece, shown.now, HERE);
    if (places.length > 0) context.lineTo(...camera.toScreen(HERE.x, HERE.y));
  }
  context.stroke();
}

// Where commands lead, on the way that was noted if there is one; with many robots, only that of the one chosen.
function drawGoals({ context, camera, swarm, shown, palette }: Brush): void {
  context.strokeStyle = palette.way;
  context.lineWidth = 1.5 * shown.ratio;
  context.setLineDash([2 * shown.ratio, 4 * shown.ratio]);
  context.beginPath();
  const all = swarm.bodies.size <= MOST_TRAILS;
  for (const body of swarm.bodies.values()) {
    if (body.goal === null || (!all && body.number !== shown.chosen)) continue;
    poseAt(body.piece, shown.now, HERE);
    const [x, y] = camera.toScreen(...body.goal);
    context.moveTo(...camera.toScreen(HERE.x, HERE.y));
    for (const place of body.way?.places.slice(ahead(body.way.places, HERE)) ?? []) context.lineTo(...camera.toScreen(...place));
    context.lineTo(x, y);
    context.moveTo(x + 3 * shown.ratio, y);
    context.arc(x, y, 3 * shown.ratio, 0, 2 * Math.PI);
  }
  context.stroke();
  context.setLineDash([]);
}

// The number of the place of a way that comes next: after the piece that is nearest to where the robot is.
export function ahead(places: readonly [number, number][], { x, y }: Pose): number {
  let next = 0;
  let least = Infinity;
  for (let number = 1; number < places.length; number += 1) {
    const [ax, ay] = places[number - 1] ?? [0, 0];
    const [bx, by] = places[number] ?? [0, 0];
    const length = (bx - ax) ** 2 + (by - ay) ** 2;
    const share = length === 0 ? 0 : Math.min(Math.max(((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length, 0), 1);
    const gap = Math.hypot(x - ax - share * (bx - ax), y - ay - share * (by - ay));
    if (gap < least - 1e-9) [least, next] = [gap, share > 0 ? number : number - 1];
  }
  return next;
}

// How far a radio reaches: of the robot pointed at, or of all if they are few.
function drawReach({ context, camera, swarm, shown, palette }: Brush, reach: number): void {
  const one = shown.chosen ?? shown.hovered;
  context.strokeStyle = palette.faint;
  context.lineWidth = shown.ratio;
  for (const body of swarm.bodies.values()) {
    if (one === null ? swarm.bodies.size > 20 : body.number !== one) continue;
    poseAt(body.piece, shown.now, HERE);
    const [x, y] = camera.toScreen(HERE.x, HERE.y);
    context.beginPath();
    context.arc(x, y, reach * camera.scale, 0, 2 * Math.PI);
    context.stroke();
  }
}

function drawShapes({ context, camera, swarm, shown, palette }: Brush, teams: boolean, colors: boolean): void {
  for (const body of swarm.bodies.values()) {
    if (body.shape.kind === "disc") continue;
    poseAt(body.piece, shown.now, HERE);
    const [x, y] = camera.toScreen(HERE.x, HERE.y);
    context.save();
    context.translate(x, y);
    context.rotate(-HERE.heading);
    const scale = camera.scale * enlargement(body, camera, shown.least);
    context.scale(scale, -scale);
    context.beginPath();
    if (body.shape.kind === "ellipse") context.ellipse(0, 0, body.shape.halfLength, body.shape.halfWidth, 0, 0, 2 * Math.PI);
    else for (const [cx, cy] of body.shape.corners) context.lineTo(cx, cy);
    context.closePath();
    const team = teams && shown.groups.hasTeams ? shown.groups.styleOf(body.number) : null;
    context.strokeStyle = palette.plane;
    context.lineWidth = (3 * shown.ratio) / scale;
    context.stroke();
    context.fillStyle = (colors ? swarm.showings.styleOf(body.number) : null) ?? team ?? (isMoving(body.piece, shown.now) ? palette.moving : palette.resting);
    context.fill();
    context.beginPath();
    context.moveTo(0, 0);
    context.lineTo(body.radius * 0.8, 0);
    context.strokeStyle = "#ffffff";
    context.lineWidth = (2 * shown.ratio) / scale;
    context.stroke();
    context.restore();
  }
}

// Where robots were lost that fell into a hole.
function drawLost({ context, camera, swarm, shown, palette }: Brush): void {
  context.strokeStyle = palette.contact;
  context.lineWidth = 2 * shown.ratio;
  context.beginPath();
  for (const one of swarm.lost.values()) {
    const [x, y] = camera.toScreen(one.x, one.y);
    const size = Math.max(one.radius * camera.scale, 5 * shown.ratio);
    context.moveTo(x - size, y - size);
    context.lineTo(x + size, y + size);
    context.moveTo(x - size, y + size);
    context.lineTo(x + size, y - size);
    context.moveTo(x + size, y);
    context.arc(x, y, size, 0, 2 * Math.PI);
  }
  context.stroke();
}

// A message is a dot on its way from who sent it to who gets it, coloured by its type; one that was lost is crossed out.
function drawMessages({ context, camera, swarm, shown }: Brush): void {
  const linger = LINGER * Math.max(shown.pace, 0.05);
  context.lineWidth = shown.ratio;
  let drawn = 0;
  for (let number = swarm.flights.length - 1; number >= 0 && drawn < MOST_FLIGHTS; number -= 1) {
    const flight = swarm.flights[number];
    if (flight === undefined || flight.over + linger < shown.now) continue;
    const sender = swarm.bodies.get(flight.sender);
    const receiver = swarm.bodies.get(flight.receiver);
    if (sender === undefined || receiver === undefined) continue;
    drawn += 1;
    poseAt(sender.piece, shown.now, HERE);
    poseAt(receiver.piece, shown.now, THERE);
    // A flight that is too short to be seen is shown while it lingers.
    const over = Math.max(flight.over === Infinity ? shown.now + linger : flight.over, flight.begun + 0.7 * linger);
    const share = Math.min((shown.now - flight.begun) / (over - flight.begun), 1);
    const fading = flight.over <= shown.now ? Math.max(1 - (shown.now - flight.over) / linger, 0) : 1;
    context.strokeStyle = context.fillStyle = typeColors.of(flight.type);
    context.globalAlpha = PALE * fading;
    context.setLineDash(flight.isDropped ? [3 * shown.ratio, 4 * shown.ratio] : []);
    context.beginPath();
    context.moveTo(...camera.toScreen(HERE.x, HERE.y));
    context.lineTo(...camera.toScreen(THERE.x, THERE.y));
    context.stroke();
    context.setLineDash([]);
    context.globalAlpha = fading;
    const [x, y] = camera.toScreen(HERE.x + (THERE.x - HERE.x) * share, HERE.y + (THERE.y - HERE.y) * share);
    context.beginPath();
    const size = DOT * shown.ratio;
    if (flight.isDropped && flight.over <= shown.now) {
      context.moveTo(x - size, y - size);
      context.lineTo(x + size, y + size);
      context.moveTo(x - size, y + size);
      context.lineTo(x + size, y - size);
      context.stroke();
    } else {
      context.arc(x, y, size, 0, 2 * Math.PI);
      context.fill();
    }
  }
  context.globalAlpha = 1;
}

function drawContacts({ context, camera, swarm, shown, palette }: Brush): void {
  const flash = FLASH * Math.max(shown.pace, 0.05);
  context.strokeStyle = palette.contact;
  context.lineWidth = 2 * shown.ratio;
  for (const one of swarm.touchesSince(Math.max(shown.since, shown.now - flash))) {
    const age = (shown.now - one.time) / flash;
    const [x, y] = camera.toScreen(one.x, one.y);
    context.globalAlpha = Math.max(1 - age, 0);
    context.beginPath();
    context.arc(x, y, (4 + 12 * age) * shown.ratio, 0, 2 * Math.PI);
    context.stroke();
  }
  context.globalAlpha = 1;
}

// The name of a robot stands above its body. Where it would lie upon another robot or another name, it is left out; names of the robots
// pointed at come first.
function drawNames(brush: Brush): void {
  const { context, camera, swarm, shown, palette } = brush;
  const least = swarm.bodies.size > FEW ? LEAST_NAMED * shown.ratio : 0;
  if (swarm.largest * camera.scale < least) return;
  const size = Math.round(11 * shown.ratio);
  context.font = `${size}px system-ui, sans-serif`;
  context.textAlign = "center";
  context.fillStyle = palette.text;
  context.strokeStyle = palette.plane;
  context.lineWidth = 3 * shown.ratio;
  context.lineJoin = "round";
  const room = new Room();
  const named: [body: Body, x: number, y: number][] = [];
  for (const body of swarm.bodies.values()) {
    if (named.length >= MOST_NAMES || body.radius * camera.scale < least) continue;
    poseAt(body.piece, shown.now, HERE);
    const [x, y] = camera.toScreen(HERE.x, HERE.y);
    if (x < 0 || y < 0 || x > camera.width || y > camera.height) continue;
    const above = reachUp(body, HERE) * camera.scale * enlargement(body, camera, shown.least);
    room.keep(x, y, above);
    const isPointed = body.number === shown.chosen || body.number === shown.hovered;
    const gap = isPointed ? 8 : 3; // of one that is pointed at, above its ring
    named[isPointed ? "unshift" : "push"]([body, x, y - above - gap * shown.ratio]);
  }
  for (const [{ number }, x, y] of named) {
    const name = shown.names[String(number)] ?? String(number);
    const { width } = context.measureText(name);
    const isFirst = number === shown.chosen || number === shown.hovered;
    if (!room.take(x - width / 2, y - size, width, size) && !isFirst) continue;
    context.strokeText(name, x, y);
    context.fillText(name, x, y);
  }
}

function drawRing({ context, camera, shown, palette }: Brush, body: Body, dash: readonly number[]): void {
  poseAt(body.piece, shown.now, HERE);
  const [x, y] = camera.toScreen(HERE.x, HERE.y);
  context.strokeStyle = palette.text;
  context.lineWidth = 2 * shown.ratio;
  context.setLineDash(dash.map((length) => length * shown.ratio));
  context.beginPath();
  context.arc(x, y, drawnRadius(body, camera, shown.least) + 5 * shown.ratio, 0, 2 * Math.PI);
  context.stroke();
  context.setLineDash([]);
}
