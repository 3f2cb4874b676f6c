// A run that kumi wrote is read as kumi reads it: the same bodies at the same places, whatever the way to an instant.
//
// The file and what Python says of it are named by the environment.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Chunk, JOURNAL, unpacked } from "../src/run/chunk";
import { innerType } from "../src/run/digest";
import { poseAt } from "../src/run/motion";
import { TypeColors } from "../src/draw/palette";
import { obstaclesOf } from "../src/draw/scenery";
import { Swarm } from "../src/run/swarm";
import { Timeline } from "../src/run/timeline";

interface Oracle {
  run: string;
  chunks: [kind: number, time: number, at: number, length: number][];
  states: { instant: number; bodies: [number, number, number, number, boolean][]; obstacles: string[] }[];
  records: number; // of kinds that the digest tells
  contacts: number;
  types: [type: string, content: string, color: string][]; // messages in this order, with the colours that pictures have
}

const oracle = JSON.parse(readFileSync(process.env["KUMI_ORACLE"] ?? "", "utf-8")) as Oracle;
const file = new Uint8Array(readFileSync(oracle.run));

function opened(): { swarm: Swarm; timeline: Timeline } {
  const swarm = new Swarm();
  const timeline = new Timeline(swarm);
  timeline.chunks = oracle.chunks.map(([kind, time, at, length]) =>
    new Chunk(kind, time, null, () => unpacked(file.slice(at, at + length))));
  return { swarm, timeline };
}

function check(swarm: Swarm, { instant, bodies, obstacles }: Oracle["states"][number]): void {
  assert.deepEqual([...swarm.bodies.keys()].sort((one, other) => one - other), bodies.map(([number]) => number));
  assert.deepEqual([...obstaclesOf({}, swarm.came, swarm.left).values()].map((one) => one["name"]), obstacles);
  for (const [number, x, y, heading] of bodies) {
    const body = swarm.bodies.get(number);
    assert(body !== undefined);
    const pose = poseAt(body.piece, instant, { x: 0, y: 0, heading: 0 });
    for (const [ours, theirs] of [[pose.x, x], [pose.y, y], [Math.cos(pose.heading - heading), 1]] as const)
      assert(Math.abs(ours - theirs) < 1e-9, `robot ${number} at ${instant}: ${ours}, not ${theirs}`);
  }
}

test("forward from the beginning, every body is where Python says", async () => {
  const { swarm, timeline } = opened();
  for (const state of oracle.states) {
    await timeline.seek(state.instant);
    check(swarm, state);
  }
});

test("backward and to and fro, too", async () => {
  const { swarm, timeline } = opened();
  const states = oracle.states;
  const order = [...states].reverse().concat(states.filter((_, number) => number % 3 === 0), states.slice(0, 2));
  for (const state of order) {
    await timeline.seek(state.instant);
    check(swarm, state);
  }
});

test("stepping by event meets each instant of an event once, the same both ways", async () => {
  const { timeline } = opened();
  const forward: number[] = [];
  for (let at: number | null = -1; at !== null && forward.length < 400; at = (await timeline.eventsBeside(at, true))[0]?.time ?? null)
    if (at >= 0) forward.push(at);
  const backward: number[] = [];
  const last = forward.at(-1) ?? 0;
  for (let at: number | null = last; at !== null; at = (await timeline.eventsBeside(at, false))[0]?.time ?? null) backward.unshift(at);
  assert(forward.length > 20);
  assert.deepEqual(backward, forward);
  assert(forward.every((time, number) => number === 0 || time > (forward[number - 1] ?? Infinity)));
});

test("the log has every record that is told, in order, and counts the contacts", async () => {
  const { timeline } = opened();
  for (const chunk of timeline.chunks) if (chunk.kind === JOURNAL) await chunk.load();
  const all = timeline.between(-Infinity, Infinity);
  assert.equal(all.length, oracle.records);
  assert.equal(all.filter((one) => one.kind === "contact").length, oracle.contacts);
  const latest = timeline.latest(Infinity, 10, (one) => one.kind === "contact");
  assert.deepEqual(latest.map((one) => one.time), all.filter((one) => one.kind === "contact").map((one) => one.time).reverse().slice(0, 10));
});

test("a chunk that cannot be fetched ends the run there, and what is before stays", async () => {
  const { swarm, timeline } = opened();
  const [first, last] = [oracle.states[0], oracle.states.at(-1)];
  assert(first !== undefined && last !== undefined);
  let said = "";
  timeline.onBroken = (sentence) => (said = sentence);
  const journal = timeline.chunks.findIndex((chunk) => chunk.kind === JOURNAL && chunk.time > first.instant);
  const damaged = timeline.chunks[journal];
  assert(damaged !== undefined);
  timeline.chunks[journal] = new Chunk(JOURNAL, damaged.time, null, () => Promise.reject(new Error("damaged")));
  await timeline.seek(damaged.time + 1e-6);
  assert.equal(said, "damaged");
  assert.equal(timeline.brokenFrom, damaged.time);
  await timeline.seek(first.instant);
  check(swarm, first);
});

test("while the server is gone the picture stays, wherever one goes", async () => {
  const { swarm, timeline } = opened();
  const last = oracle.states.at(-1);
  assert(last !== undefined);
  await timeline.seek(last.instant);
  check(swarm, last);
  timeline.chunks = timeline.chunks.map((chunk, number) => number > 0 ? chunk
    : new Chunk(chunk.kind, chunk.time, null, () => Promise.reject(new TypeError("Failed to fetch"))));
  assert.equal(await timeline.seek(0), false);
  check(swarm, last);
  assert.equal(timeline.brokenFrom, Infinity);
});

test("a type of message has the colour that it has in pictures", () => {
  const colors = new TypeColors();
  for (const [type, content, color] of oracle.types) assert.equal(colors.of(innerType(type, content)), color, type);
});
