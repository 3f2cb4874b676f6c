// Whatever instant one jumps to, all that is seen there is as if one had played the run from its beginning: in every layer.
//
// The run has messages, reserved floor, ways, contacts, walls that come and go, and robots that fall into holes. It is named by the
// environment, with what Python says of it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Chunk, unpacked } from "../src/run/chunk";
import { isMoving, poseAt } from "../src/run/motion";
import { inWords } from "../src/run/published";
import { Swarm, trailSince } from "../src/run/swarm";
import { Timeline } from "../src/run/timeline";

interface Seen {
  instant: number;
  ways: [number: number, places: [number, number][]][];
  lost: [number: number, x: number, y: number][];
  published: [body: number, name: string, value: string][];
  zones: [number: number, zones: [isGranted: boolean, radius: number, path: [number, number][]][]][];
}

interface Oracle {
  run: string;
  chunks: [kind: number, time: number, at: number, length: number][];
  seen: Seen[];
}

const oracle = (JSON.parse(readFileSync(process.env["KUMI_ORACLE"] ?? "", "utf-8")) as { mixed: Oracle }).mixed;
const file = new Uint8Array(readFileSync(oracle.run));
const instants = oracle.seen.map((one) => one.instant);

function opened(): { swarm: Swarm; timeline: Timeline } {
  const swarm = new Swarm();
  const timeline = new Timeline(swarm);
  timeline.chunks = oracle.chunks.map(([kind, time, at, length]) =>
    new Chunk(kind, time, null, () => unpacked(file.slice(at, at + length)), length));
  return { swarm, timeline };
}

function sorted<Value>(values: Iterable<[number, Value]>): [number, Value][] {
  return [...values].sort(([one], [other]) => one - other);
}

// All that is drawn at an instant, and what the panels tell of robots.
function layers({ swarm, timeline }: { swarm: Swarm; timeline: Timeline }, now: number): object {
  const since = timeline.since(now);
  return {
    bodies: sorted(swarm.bodies).map(([number, body]) => {
      const { x, y, heading } = poseAt(body.piece, now, { x: 0, y: 0, heading: 0 });
      const pose = [x, y, Math.cos(heading), Math.sin(heading)].map((value) => value.toFixed(6));
      const { shape, radius, command, goal, way, contacts, sent, received } = body;
      return { number, pose, moves: isMoving(body.piece, now), shape, radius, command, goal, way, contacts, sent, received,
        trail: trailSince(body, since) };
    }),
    lost: sorted(swarm.lost),
    zones: sorted(swarm.zones),
    shown: sorted(swarm.showings.of).map(([body]) => [body, swarm.showings.rows(body)]).filter(([, rows]) => (rows as unknown[]).length > 0),
    obstacles: [sorted(swarm.came), [...swarm.left].sort()],
    touches: swarm.touchesSince(since),
    flights: structuredClone(swarm.flights.filter((one) => one.begun > since)),
  };
}

async function played(): Promise<Map<number, object>> {
  const run = opened();
  for (const chunk of run.timeline.chunks) await chunk.load();
  await run.timeline.seek(0);
  const found = new Map<number, object>();
  for (const instant of instants) {
    assert(run.timeline.advance(instant));
    found.set(instant, layers(run, instant));
  }
  return found;
}

test("the run has something in every layer, and is longer than what is remembered", async () => {
  const all = [...(await played()).values()].map((one) => JSON.stringify(one));
  for (const layer of ["lost", "zones", "shown", "touches", "flights", "trail"])
    assert(all.some((text) => new RegExp(`"${layer}":\\[[^\\]]`).test(text)), layer);
  assert(all.some((text) => /"way":\{"time"/.test(text)));
  assert((instants.at(-1) ?? 0) > 120);
  assert(oracle.chunks.filter(([kind]) => kind === 2).length > 5);
});

test("jumping to an instant shows what playing up to it shows", async () => {
  const found = await played();
  for (const instant of instants) {
    const run = opened();
    await run.timeline.seek(instant);
    assert.deepEqual(layers(run, instant), found.get(instant), `after a jump to ${instant}`);
  }
});

test("so does jumping to and fro", async () => {
  const found = await played();
  const run = opened();
  for (const [number] of instants.entries()) {
    const instant = instants[(number * 17) % instants.length] ?? 0;
    await run.timeline.seek(instant);
    assert.deepEqual(layers(run, instant), found.get(instant), `after a jump to ${instant}`);
  }
});

test("ways, lost robots, reserved floor and what is shown are those that Python reads", async () => {
  const run = opened();
  for (const one of oracle.seen) {
    await run.timeline.seek(one.instant);
    const { swarm } = run;
    const ways = sorted(swarm.bodies).flatMap(([number, body]) => body.way === null ? [] : [[number, body.way.places]]);
    assert.deepEqual(ways, one.ways);
    assert.deepEqual(sorted(swarm.lost).map(([number, { x, y }]) => [number, x, y]), one.lost);
    const zones = sorted(swarm.zones).map(([number, all]) => [number, all.map(({ isGranted, radius, path }) => [isGranted, radius, path])]);
    assert.deepEqual(zones, one.zones);
    const shown = sorted(swarm.showings.of).flatMap(([body]) => swarm.showings.rows(body).map(([name, value]) => [body, name, inWords(value)]));
    assert.deepEqual(shown, one.published);
  }
});
