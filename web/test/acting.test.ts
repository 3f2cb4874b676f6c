// Acting: tools, what is refused, and obstacles that come and go.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused, type Action, type Actions, type Spot } from "../src/actions/actions";
import { digestOf, Sendings } from "../src/run/digest";
import { Hand } from "../src/actions/hand";
import { readPlaces } from "../src/actions/places";
import { JournalReader } from "../src/run/journal";
import { distanceTo, obstacleAt, obstaclesOf } from "../src/draw/scenery";
import { Swarm } from "../src/run/swarm";
import { Tool, type Wanted } from "../src/actions/tool";

function spot(x: number, y = 0): Spot {
  return { x, y };
}

function held(): { tool: Tool; wanted: Wanted[] } {
  const tool = new Tool();
  const wanted: Wanted[] = [];
  tool.onWanted = (one) => wanted.push(one);
  return { tool, wanted };
}

test("a place is enough to go to, once there is a robot", () => {
  const { tool, wanted } = held();
  tool.take("goTo");
  assert.equal(tool.needsRobot(null), true);
  tool.click(spot(1), null);
  assert.deepEqual(wanted, []);
  tool.click(spot(2), 7);
  assert.deepEqual(wanted, [{ kind: "goTo", robot: 7, places: [spot(2)] }]);
  assert.equal(tool.kind, null);
});

test("a path takes places until it is ended, and those of a double click once", () => {
  const { tool, wanted } = held();
  tool.take("followPath");
  for (const at of [spot(1), spot(2), spot(2)]) tool.click(at, 3);
  tool.finish(3);
  assert.deepEqual(wanted, [{ kind: "followPath", robot: 3, places: [spot(1), spot(2)] }]);
  tool.take("followPath");
  tool.finish(3);
  assert.equal(wanted.length, 1);
  assert.equal(tool.kind, "followPath");
});

test("a wall takes two places, and a tool taken twice is put back", () => {
  const { tool, wanted } = held();
  tool.take("drawWall");
  tool.click(spot(0), null);
  tool.take("drawWall");
  assert.equal(tool.kind, null);
  tool.take("drawWall");
  tool.click(spot(0), null);
  tool.click(spot(0, 4), null);
  assert.deepEqual(wanted, [{ kind: "drawWall", robot: null, places: [spot(0), spot(0, 4)] }]);
});

test("a tool says what comes next", () => {
  const { tool } = held();
  assert.equal(tool.hint(null), "");
  tool.take("goTo");
  assert.equal(tool.hint(null), "Click the robot first. Esc leaves it.");
  assert.equal(tool.hint(1), "Click where the robot shall go. Esc leaves it.");
});

function actions(asked: unknown[], refusal: string | null): Actions {
  const answer = (...what: unknown[]): Promise<never> => {
    asked.push(what);
    return refusal === null ? Promise.resolve(undefined as never) : Promise.reject(new Refused(refusal));
  };
  const names: Action[] = ["goTo", "stop", "removeWall"];
  const acts = Object.fromEntries(names.map((name) => [name, (...about: unknown[]) => answer(name, ...about)]));
  return { offers: new Set(names), ...acts } as unknown as Actions;
}

const TURN = (): Promise<void> => new Promise((done) => { setTimeout(done, 0); });

test("an action is asked for, and what is refused is said and forgotten with the next", async () => {
  const asked: unknown[] = [];
  const hand = new Hand(actions(asked, "Not you."));
  hand.stop(4);
  await TURN();
  assert.deepEqual(asked, [["stop", 4]]);
  assert.equal(hand.refusal, "Not you.");
  assert.equal(hand.told, "");
  hand.actions = { ...actions(asked, null), stop: () => Promise.resolve("Robot 4 is stopped, not yet written down.") };
  hand.stop(4);
  await TURN();
  assert.equal(hand.told, "Robot 4 is stopped, not yet written down.");
  hand.actions = actions(asked, null);
  assert.equal(hand.refusal, "");
  hand.takeTool("goTo");
  hand.order = "queue";
  hand.tool.click(spot(1, 2), 4);
  await TURN();
  assert.deepEqual(asked.at(-1), ["goTo", 4, spot(1, 2), "queue"]);
  assert.equal(hand.told, "Robot 4 goes.");
});

test("what is not offered is not taken up", () => {
  const hand = new Hand(actions([], null));
  hand.takeTool("drawWall");
  assert.equal(hand.tool.kind, null);
  assert.equal(new Hand().canAct, false);
});

test("a wall is taken away where one was clicked", async () => {
  const asked: unknown[] = [];
  const hand = new Hand(actions(asked, null));
  hand.takeTool("removeWall");
  hand.tool.click(spot(9), null);
  await TURN();
  assert.deepEqual(asked, []);
  assert.equal(hand.refusal, "There is no wall where you clicked.");
  hand.obstacleAt = () => 12;
  hand.takeTool("removeWall");
  hand.tool.click(spot(9), null);
  await TURN();
  assert.deepEqual(asked, [["removeWall", 12]]);
});

test("how far a place is from each kind of obstacle", () => {
  assert.equal(distanceTo({ wall: [[0, 0], [4, 0]], thickness: 1 }, 2, 3), 2.5);
  assert.equal(distanceTo({ wall: [[0, 0], [4, 0]] }, 7, 4), 5);
  assert.equal(distanceTo({ pillar: [0, 0], radius: 2 }, 3, 4), 3);
  assert.equal(distanceTo({ block: [0, 0], size: [2, 2] }, 1, 1), 0);
  assert.equal(distanceTo({ block: [[0, 0], [2, 0], [0, 2]] }, 1, -3), 3);
});

test("the nearest obstacle within reach is meant", () => {
  const things = new Map([[3, { wall: [[0, 0], [4, 0]] }], [5, { wall: [[0, 1], [4, 1]] }]]);
  assert.equal(obstacleAt(things, 2, 0.8, 0.5), 5);
  assert.equal(obstacleAt(things, 2, 0.1, 0.5), 3);
  assert.equal(obstacleAt(things, 2, 9, 0.5), null);
});

function obstacles(...records: [tag: "O" | "X", number: number, text?: string][]): Uint8Array {
  const bytes: number[] = [];
  const u32 = (value: number): void => { for (let at = 0; at < 4; at += 1) bytes.push((value >> (8 * at)) & 255); };
  for (const [tag, number, text] of records) {
    bytes.push(tag.charCodeAt(0));
    u32(number);
    if (text === undefined) continue;
    const letters = new TextEncoder().encode(text);
    u32(letters.length);
    bytes.push(...letters);
  }
  return new Uint8Array(bytes);
}

test("obstacles come and go as the journal says", () => {
  const swarm = new Swarm();
  const bytes = obstacles(["O", 2, '{"wall": [[0, 0], [1, 0]]}'], ["X", 0], ["O", 3, '{"pillar": [1, 1], "radius": 1}'], ["X", 2]);
  new JournalReader(bytes, 0).read(swarm);
  const map = { obstacles: [{ wall: [[5, 5], [6, 6]] }, { wall: [[7, 7], [8, 8]] }] };
  assert.deepEqual([...obstaclesOf(map, swarm.came, swarm.left).keys()], [1, 3]);
  assert.equal(swarm.changes, 4);
  swarm.clear();
  assert.deepEqual([...obstaclesOf(map, swarm.came, swarm.left).keys()], [0, 1]);
  assert.deepEqual(digestOf(bytes, 0, new Sendings()).happenings.map((one) => one.text), [
    "obstacle 2 stands", "obstacle 0 is gone", "obstacle 3 stands", "obstacle 2 is gone",
  ]);
});

test("a wall that is dragged goes from where it was begun to where it was let go", () => {
  const { tool, wanted } = held();
  tool.take("drawWall");
  assert.equal(tool.draws(null), true);
  for (const x of [0, 1, 2, 3]) tool.drag(spot(x), 0.5);
  tool.drop(spot(4), null);
  assert.deepEqual(wanted, [{ kind: "drawWall", robot: null, places: [spot(0), spot(4)] }]);
});

test("a way that is dragged goes through places that are so far apart", () => {
  const { tool, wanted } = held();
  tool.take("followPath");
  assert.equal(tool.draws(null), false);
  for (const x of [0, 0.25, 0.5, 0.75, 1, 1.25]) tool.drag(spot(x), 0.5);
  tool.drop(spot(1.5), 2);
  assert.deepEqual(wanted, [{ kind: "followPath", robot: 2, places: [spot(0), spot(0.5), spot(1), spot(1.5)] }]);
});

test("typed places are pairs of numbers, however they are written", () => {
  assert.deepEqual(readPlaces("1, 2; 3.5, -4"), [{ x: 1, y: 2 }, { x: 3.5, y: -4 }]);
  assert.deepEqual(readPlaces("(1 2) (3 4)"), [{ x: 1, y: 2 }, { x: 3, y: 4 }]);
  for (const wrong of ["", "1", "1, 2, 3", "one, two", "1, Infinity"]) assert.equal(readPlaces(wrong), null);
});
