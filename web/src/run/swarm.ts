// All bodies of a run at the present instant, the floor they reserved, the messages on their way, and the last contacts.
//
// What comes and goes (trails, contacts, messages) is remembered for a while; who looks at it leaves out what is older than that. So it is
// the same whether one played up to an instant or jumped there.

import { innerType, isFar } from "./digest";
import type { Listener, Shape, Zone } from "./journal";
import { poseAt, resting, type Piece, type Pose } from "./motion";
import { Courses, type Goer } from "./courses";
import { Showings, type Published } from "./published";
import type { Thing } from "../draw/scenery";

export interface Body extends Goer {
  number: number;
  shape: Shape;
  radius: number; // of the least circle around it
  trail: number[]; // time, x, y, time, x, y, …
  command: number; // 0 while it rests
  goal: [number, number] | null;
  way: { time: number; places: [number, number][] } | null; // noted when the motion began
  contacts: number;
  sent: number;
  received: number;
}

export interface Flight {
  message: number;
  sender: number;
  receiver: number;
  type: string;
  begun: number;
  over: number; // Infinity while it is on its way
  isDropped: boolean;
}

export interface Lost {
  time: number;
  x: number;
  y: number;
  radius: number;
}

export interface Touch {
  time: number;
  x: number;
  y: number;
}

interface Sending {
  sender: number;
  type: string;
  begun: number;
  waiting: Flight[];
}

const TRAIL = 64; // places
const TOUCHES = 500;

export class Swarm implements Listener {
  readonly bodies = new Map<number, Body>();
  readonly courses = new Courses<Body>(); // of those that are round
  crowds = 0; // how often bodies came, went or took another shape
  flights: Flight[] = [];
  touches: Touch[] = [];
  readonly lost = new Map<number, Lost>(); // robots that fell into a hole
  largest = 0; // no body has a larger radius: where its name would have no room, none has
  isRound = true; // all bodies are discs; false where one is none, or was
  readonly zones = new Map<number, Zone[]>(); // the floor that robots have reserved or wait for
  readonly showings = new Showings(); // what programs show
  readonly came = new Map<number, Thing>(); // obstacles that the map does not have
  readonly left = new Set<number>(); // and those of the map that are gone
  changes = 0; // of obstacles, up to now
  private readonly sendings = new Map<number, Sending>();

  clear(): void {
    this.bodies.clear();
    this.crowds += 1;
    this.flights = [];
    this.touches = [];
    this.sendings.clear();
    this.lost.clear();
    this.zones.clear();
    this.showings.clear();
    this.largest = 0;
    this.isRound = true;
    if (this.came.size + this.left.size > 0) this.changes += 1;
    this.came.clear();
    this.left.clear();
  }

  stands(_time: number, obstacle: number, text: string): void {
    this.came.set(obstacle, JSON.parse(text) as Thing);
    this.changes += 1;
  }

  cleared(_time: number, obstacle: number): void {
    if (!this.came.delete(obstacle)) this.left.add(obstacle);
    this.changes += 1;
  }

  added(time: number, number: number, x: number, y: number, heading: number, shape: Shape): void {
    this.bodies.set(number, {
      number, slot: -1, piece: resting(x, y, heading, time), shape, radius: radiusOf(shape), trail: [time, x, y],
      command: 0, goal: null, way: null, contacts: 0, sent: 0, received: 0,
    });
    this.regard(shape);
  }

  gone(time: number, number: number, fell: boolean): void {
    const body = this.bodies.get(number);
    if (fell && body !== undefined) {
      const { x, y } = poseAt(body.piece, time, HERE);
      this.lost.set(number, { time, x, y, radius: body.radius });
    }
    this.bodies.delete(number);
    this.showings.drop(number);
    this.crowds += 1;
  }

  resized(_time: number, number: number, shape: Shape): void {
    const body = this.bodies.get(number);
    if (body === undefined) return;
    body.shape = shape;
    body.radius = radiusOf(shape);
    this.regard(shape);
  }

  jumped(time: number, number: number, x: number, y: number, heading: number): void {
    const body = this.bodies.get(number);
    if (body === undefined) return;
    this.rest(body, time, x, y, heading);
    body.trail = [time, x, y];
  }

  commanded(time: number, number: number, command: number, values: readonly number[]): void {
    const body = this.bodies.get(number);
    if (body === undefined) return;
    const [x = NaN, y = NaN] = values;
    body.command = command;
    if (body.way !== null && body.way.time < time) body.way = null;
    body.goal = Number.isNaN(x) || Number.isNaN(y) ? null : [x, y];
  }

  moves(time: number, number: number, piece: Piece): void {
    const body = this.bodies.get(number);
    if (body === undefined) return;
    this.go(body, piece);
    extend(body.trail, time, piece.x, piece.y);
  }

  ended(time: number, number: number, _why: number, x: number, y: number, heading: number): void {
    const body = this.bodies.get(number);
    if (body === undefined) return;
    this.rest(body, time, x, y, heading);
    extend(body.trail, time, x, y);
  }

  touched(time: number, number: number, other: number, _obstacle: number, x: number, y: number): void {
    this.touches.push({ time, x, y });
    if (this.touches.length > 2 * TOUCHES) this.touches.splice(0, TOUCHES);
    for (const one of [this.bodies.get(number), this.bodies.get(other)]) if (one !== undefined) one.contacts += 1;
  }

  noted(): void {
    // Notes stand in the log.
  }

  way(time: number, number: number, places: [number, number][]): void {
    const body = this.bodies.get(number);
    if (body !== undefined) body.way = { time, places };
  }

  reserved(_time: number, number: number, zones: Zone[]): void {
    if (zones.length === 0) this.zones.delete(number);
    else this.zones.set(number, zones);
  }

  published(_time: number, number: number, name: string, value: Published | null): void {
    const body = this.showings.put(number, name, value) ? this.bodies.get(number) : undefined;
    if (body !== undefined) this.courses.forget(body);
  }

  counted(_time: number, number: number, contacts: number, sent: number, received: number): void {
    const body = this.bodies.get(number);
    if (body !== undefined) Object.assign(body, { contacts, sent, received });
  }

  sent(time: number, message: number, sender: number, receivers: number[], outer: string, content: string): void {
    const type = innerType(outer, content);
    const waiting = receivers.map((receiver) => ({
      message, sender, receiver, type, begun: time, over: Infinity, isDropped: false,
    }));
    this.sendings.set(message, { sender, type, begun: time, waiting });
    this.flights.push(...waiting);
    const body = this.bodies.get(sender);
    if (body !== undefined) body.sent += 1;
  }

  received(time: number, message: number, receiver: number): void {
    this.land(time, message, receiver, false);
    const body = this.bodies.get(receiver);
    if (body !== undefined) body.received += 1;
  }

  dropped(time: number, message: number, receiver: number, reason: string): void {
    if (!isFar(reason)) this.land(time, message, receiver, true);
  }

  // Forgets messages that were sent no later than `since`, and those that arrived before another instant.
  forget(since: number, before: number): void {
    this.flights = this.flights.filter((one) => one.begun > since && one.over >= before);
    for (const [message, one] of this.sendings) if (one.begun <= since) this.sendings.delete(message);
  }

  // The contacts after an instant, at most the last ones.
  touchesSince(since: number): Touch[] {
    return this.touches.slice(-TOUCHES).filter((one) => one.time > since);
  }

  private go(body: Body, piece: Piece): void {
    body.piece = piece;
    this.courses.forget(body);
  }

  private regard(shape: Shape): void {
    this.crowds += 1;
    this.largest = Math.max(this.largest, radiusOf(shape));
    this.isRound &&= shape.kind === "disc";
  }

  private rest(body: Body, time: number, x: number, y: number, heading: number): void {
    this.go(body, resting(x, y, heading, time));
    body.command = 0;
    body.goal = null;
    body.way = null;
  }

  private land(time: number, message: number, receiver: number, isDropped: boolean): void {
    const sending = this.sendings.get(message);
    if (sending === undefined) return;
    const { sender, type, begun } = sending;
    const flight = sending.waiting.find((one) => one.receiver === receiver && one.over === Infinity);
    if (flight === undefined) this.flights.push({ message, sender, receiver, type, begun, over: time, isDropped });
    else {
      flight.over = time;
      flight.isDropped = isDropped;
    }
  }
}

const HERE: Pose = { x: 0, y: 0, heading: 0 };

// The body whose middle is nearest to a place, no farther off than a length beyond its own size.
export function bodyAt(swarm: Swarm, x: number, y: number, now: number, slack: number): Body | null {
  let nearest: Body | null = null;
  let least = Infinity;
  for (const body of swarm.bodies.values()) {
    poseAt(body.piece, now, HERE);
    const distance = Math.hypot(HERE.x - x, HERE.y - y);
    if (distance > body.radius + slack || distance >= least) continue;
    nearest = body;
    least = distance;
  }
  return nearest;
}

function extend(trail: number[], time: number, x: number, y: number): void {
  if (trail.at(-2) === x && trail.at(-1) === y) {
    trail[trail.length - 3] = time;
    return;
  }
  trail.push(time, x, y);
  if (trail.length > 6 * TRAIL) trail.splice(0, 3 * TRAIL);
}

// The places where a body began a piece of its way after an instant, at most the last ones.
export function trailSince({ trail }: Body, since: number): [number, number][] {
  const places: [number, number][] = [];
  for (let at = Math.max(trail.length - 3 * TRAIL, 0); at < trail.length; at += 3)
    if ((trail[at] ?? 0) > since) places.push([trail[at + 1] ?? 0, trail[at + 2] ?? 0]);
  return places;
}

export function radiusOf(shape: Shape): number {
  if (shape.kind === "disc") return shape.radius;
  if (shape.kind === "ellipse") return Math.max(shape.halfLength, shape.halfWidth);
  return Math.max(...shape.corners.map(([x, y]) => Math.hypot(x, y)));
}
