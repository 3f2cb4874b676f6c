// The small parts, on numbers that can be checked in one's head.

import assert from "node:assert/strict";
import { test } from "node:test";
import { arrowsOf } from "../src/draw/arrows";
import { Camera, readTile, tileComplaint } from "../src/draw/camera";
import { Chunk, FRESH, JOURNAL, KEYFRAME } from "../src/run/chunk";
import { instantOf, LiveClock, ServerClock } from "../src/run/clock";
import { Counts } from "../src/run/counts";
import { innerType, type Happening } from "../src/run/digest";
import { poseAt, resting, speedAt, type Piece } from "../src/run/motion";
import { Courses } from "../src/run/courses";
import { Groups } from "../src/draw/groups";
import { Filter, isMarked, shortened, zoomed } from "../src/draw/lines";
import { ahead } from "../src/draw/overlay";
import { beamLength, solidOf } from "../src/draw/sensors";
import { enlargement, leastRadius, metres, reachUp, Room, roundUp } from "../src/draw/sizes";
import { Swarm, type Body } from "../src/run/swarm";
import { Timeline } from "../src/run/timeline";

const DISC = { kind: "disc", radius: 1 } as const;

function journal(...records: (number | string)[][]): Uint8Array {
  // A number is an f64, a text is a tag; `body` numbers are given as [tag, number].
  const bytes: number[] = [];
  for (const [tag, ...values] of records) {
    bytes.push(String(tag).charCodeAt(0));
    for (const value of values) {
      const cell = new DataView(new ArrayBuffer(8));
      if (typeof value === "string") {
        const [kind, number] = value.split(":");
        if (kind === "u8") bytes.push(Number(number));
        else {
          cell.setUint32(0, Number(number), true);
          bytes.push(...new Uint8Array(cell.buffer, 0, 4));
        }
      } else {
        cell.setFloat64(0, value, true);
        bytes.push(...new Uint8Array(cell.buffer));
      }
    }
  }
  return new Uint8Array(bytes);
}

function added(time: number, number: number, x: number): Uint8Array {
  return journal(["T", time], ["A", `u32:${number}`, x, 0, 0, "u8:0", 1]);
}

test("a tile is read, and a wrong one is none", () => {
  assert.deepEqual(readTile("2,1/4x2"), { column: 2, row: 1, columns: 4, rows: 2 });
  for (const wrong of [null, "", "4,0/4x2", "0,2/4x2", "1/2", "a,b/cxd"]) assert.equal(readTile(wrong), null);
  assert.equal(tileComplaint(null), "");
  assert.equal(tileComplaint("2,1/4x2"), "");
  assert.match(tileComplaint("9,9/2x1"), /^\?tile=9,9\/2x1 is no tile\. .* from 0,0\/2x1 to 1,0\/2x1: /);
  assert.match(tileComplaint("0,0/0x0"), / from 0,0\/4x2 to 3,1\/4x2: /);
});

test("the tiles of a wall join without a gap", () => {
  const window = { left: 0, bottom: 0, right: 8, top: 4 };
  const places = [0, 1].map((column) => {
    const camera = new Camera();
    [camera.width, camera.height, camera.tile] = [400, 400, { column, row: 0, columns: 2, rows: 1 }];
    camera.fit(window, 0);
    return [camera.toPlane(0, 200), camera.toPlane(400, 200)];
  });
  assert.deepEqual(places, [[[0, 2], [4, 2]], [[4, 2], [8, 2]]]);
});

test("zooming keeps the place under the pointer", () => {
  const camera = new Camera();
  [camera.width, camera.height, camera.x, camera.y] = [800, 600, 3, -2];
  const before = camera.toPlane(123, 456);
  camera.zoom(2.5, 123, 456);
  const after = camera.toPlane(123, 456);
  for (const axis of [0, 1] as const) assert(Math.abs(before[axis] - after[axis]) < 1e-9);
});

test("half a turn on an arc of radius 1 ends on the other side", () => {
  const piece: Piece = {
    ...resting(0, 0, 0, 10), rate: 1, isArc: true, speed: Math.PI, turning: 1, duration: 1, lastX: 0, lastY: 2, lastHeading: Math.PI,
  };
  const quarter = poseAt(piece, 10.5, { x: 0, y: 0, heading: 0 });
  assert(Math.abs(quarter.x - 1) < 1e-12 && Math.abs(quarter.y - 1) < 1e-12);
  assert.deepEqual(poseAt(piece, 11, { x: 0, y: 0, heading: 0 }), { x: 0, y: 2, heading: Math.PI });
  assert.equal(speedAt(piece, 10.5), Math.PI);
  assert.equal(speedAt(piece, 12), 0);
});

test("where many bodies are is what the closed forms say of each, at all instants and after every change", () => {
  let seed = 7;
  const chance = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const piece = (time: number): Piece => {
    const angle = 7 * chance();
    const duration = 3 * chance();
    const made = {
      ...resting(100 * chance(), 100 * chance(), angle, time), rate: chance() < 0.2 ? 0 : 0.2 + chance(), since: chance() - 0.5, isArc: chance() < 0.3,
      ux: Math.cos(angle), uy: Math.sin(angle), speed: 5 * chance(), acceleration: chance() < 0.5 ? 0 : chance() - 0.5, turning: chance() - 0.5, duration,
    };
    const { x, y, heading } = poseAt({ ...made, rate: 1, since: 0, duration: duration + 1 }, time + duration, { x: 0, y: 0, heading: 0 });
    return { ...made, lastX: x, lastY: y, lastHeading: heading };
  };
  const goers = Array.from({ length: 50 }, () => ({ piece: piece(0), slot: -1 }));
  const courses = new Courses<(typeof goers)[number]>();
  courses.take(goers);
  const out = new Float32Array(4 * goers.length);
  let anew = 0;
  for (let now = 0; now < 8; now += 0.05) {
    for (const goer of goers) {
      if (chance() < 0.02) {
        goer.piece = piece(now);
        courses.forget(goer);
      }
    }
    courses.at(now, [10, -20], out, 4, () => { anew += 1; });
    goers.forEach((goer, slot) => {
      const { x, y, heading } = poseAt(goer.piece, now, { x: 0, y: 0, heading: 0 });
      [x - 10, y + 20, heading].forEach((value, at) => {
        assert.ok(Math.abs((out[4 * slot + at] ?? NaN) - value) < 1e-4, `${slot} at ${now}`);
      });
    });
  }
  assert.ok(anew < 0.6 * 160 * goers.length); // the others were not looked at again
});

test("bodies that are taken away are moved no more", () => {
  const goer = { piece: resting(1, 2, 0, 0), slot: -1 };
  const courses = new Courses<typeof goer>();
  courses.take([goer]);
  courses.take([]);
  assert.equal(goer.slot, -1);
  courses.forget(goer);
  courses.at(1, [0, 0], new Float32Array(0), 4, () => { assert.fail(); });
});

test("on slow ground a piece takes longer", () => {
  const piece: Piece = { ...resting(0, 0, 0, 0), rate: 0.5, speed: 2, duration: 1, lastX: 2 };
  assert.equal(poseAt(piece, 1, { x: 0, y: 0, heading: 0 }).x, 1);
});

test("the quickest answer tells the server's clock", () => {
  const clock = new ServerClock();
  clock.heard(10, 110.9, 11); // slow: between 99.9 and 100.9 ahead
  clock.heard(20, 120.51, 20.02);
  assert(Math.abs(clock.at(30) - 130.5) < 1e-9);
});

test("a live run is shown where it was a moment ago, and rests when nothing comes", () => {
  const live = new LiveClock();
  live.heard(100, 5);
  live.heard(101, 7);
  assert.equal(live.at(100.5), 6);
  assert.equal(live.at(103), 7);
  assert.equal(live.at(99), 5);
  assert.equal(live.pace, 2);
});

test("what is set plays from its stamp at its speed", () => {
  const set = { isPlaying: true, isLive: false, at: 3, stamp: 50, speed: 4 };
  assert.equal(instantOf(set, 52), 11);
  assert.equal(instantOf({ ...set, isPlaying: false }, 52), 3);
});

test("the type of a message is that inside its wrappers", () => {
  assert.equal(innerType("InChannel", "1, Question(3, 5)"), "Question");
  assert.equal(innerType("Numbered", "4, InChannel(1, News(2))"), "News");
  assert.equal(innerType("GoTo", "[1, 2]"), "GoTo");
});

test("arrows join sendings with arrivals, and leave out who is out of reach", () => {
  const base = { text: "", type: "", isFar: false, shown: null };
  const happenings: Happening[] = [
    { ...base, time: 1, body: 0, kind: "sent", message: 7, type: "News" },
    { ...base, time: 2, body: 1, kind: "received", message: 7 },
    { ...base, time: 3, body: 2, kind: "dropped", message: 7 },
    { ...base, time: 1, body: 3, kind: "dropped", message: 7, isFar: true },
    { ...base, time: 4, body: 1, kind: "received", message: 8 },
  ];
  assert.deepEqual(arrowsOf(happenings), [
    { sender: 0, receiver: 1, type: "News", begun: 1, over: 2, isDropped: false },
    { sender: 0, receiver: 2, type: "News", begun: 1, over: 3, isDropped: true },
  ]);
});

test("a message flies from its sending to its end, and is forgotten later", () => {
  const swarm = new Swarm();
  swarm.added(0, 0, 0, 0, 0, DISC);
  swarm.added(0, 1, 5, 0, 0, DISC);
  swarm.sent(1, 9, 0, [1, 2], "News", "");
  assert.deepEqual(swarm.flights.map((one) => one.over), [Infinity, Infinity]);
  swarm.received(1.5, 9, 1);
  swarm.dropped(1.6, 9, 2, "loss");
  assert.deepEqual(swarm.flights.map((one) => [one.over, one.isDropped]), [[1.5, false], [1.6, true]]);
  assert.deepEqual([swarm.bodies.get(0)?.sent, swarm.bodies.get(1)?.received], [1, 1]);
  swarm.forget(0, 1.55);
  assert.deepEqual(swarm.flights.map((one) => one.receiver), [2]);
});

test("after a gap a live run begins anew with the fresh state", () => {
  const swarm = new Swarm();
  const timeline = new Timeline(swarm);
  timeline.append(new Chunk(FRESH, 0, added(0, 0, 1)), 1e6);
  timeline.append(new Chunk(JOURNAL, 1, added(1, 1, 2)), 1e6);
  assert(timeline.advance(1));
  assert.deepEqual([...swarm.bodies.keys()], [0, 1]);
  timeline.append(new Chunk(FRESH, 9, added(9, 5, 3)), 1e6);
  assert(timeline.advance(8));
  assert.deepEqual([...swarm.bodies.keys()], [0, 1]);
  assert(timeline.advance(9));
  assert.deepEqual([...swarm.bodies.keys()], [5]);
});

test("a page that slept goes on from the last state, not through all that it missed", async () => {
  const swarm = new Swarm();
  const timeline = new Timeline(swarm);
  timeline.append(new Chunk(FRESH, 0, added(0, 0, 0)), 1e9);
  assert(timeline.advance(0));
  const note = journal(["T", 1], ["N", "u32:0", `u32:${1 << 20}`]);
  const long = new Uint8Array(note.length + (1 << 20));
  for (let time = 1; time <= 4; time += 1) timeline.append(new Chunk(JOURNAL, time, (long.set(note), long)), 1e9);
  assert(!timeline.isFarBehind(1));
  assert(!timeline.isFarBehind(4)); // there is no state between
  timeline.append(new Chunk(KEYFRAME, 5, added(0, 7, 0)), 1e9);
  timeline.append(new Chunk(JOURNAL, 70, added(70, 8, 0)), 1e9);
  assert(!timeline.isFarBehind(64)); // what was a minute ago is remembered: it is not passed over
  assert(timeline.isFarBehind(70));
  await timeline.seek(70);
  assert.deepEqual([...swarm.bodies.keys()], [7, 8]);
  assert(!timeline.isFarBehind(70));
});

test("a minute is remembered, or eight megabytes, or since a fresh state", () => {
  const timeline = new Timeline(new Swarm());
  const sized = (kind: number, time: number, size: number): Chunk => new Chunk(kind, time, null, null, size);
  timeline.chunks = [sized(JOURNAL, 0, 1), sized(JOURNAL, 50, 1), sized(JOURNAL, 100, 1)];
  assert.equal(timeline.since(20), -40);
  assert.equal(timeline.since(130), 70);
  timeline.chunks = [0, 1, 2, 3].map((time) => sized(JOURNAL, time, 3 << 20)); // the third before the last is too much
  assert.equal(timeline.since(3.5), 1);
  timeline.chunks = [sized(FRESH, 90, 1), sized(JOURNAL, 95, 1)];
  assert.equal(timeline.since(100), 90);
});

test("of a long live run the oldest is forgotten, from keyframe to keyframe", async () => {
  const swarm = new Swarm();
  const timeline = new Timeline(swarm);
  const one = added(0, 0, 0).length;
  for (let time = 0; time < 100; time += 1) {
    const kind = time === 0 ? FRESH : time % 10 === 0 ? KEYFRAME : JOURNAL;
    timeline.append(new Chunk(kind, time, added(time, time, 0)), 25 * one);
    timeline.advance(time);
  }
  assert(timeline.chunks.length <= 25);
  assert.equal((timeline.chunks[0]?.time ?? 1) % 10, 0);
  await timeline.seek(95);
  assert.deepEqual([...swarm.bodies.keys()].slice(0, 1), [timeline.chunks[0]?.time]);
  assert.equal(swarm.bodies.size, 95 - (timeline.chunks[0]?.time ?? 0) + 1 - 1); // the state at 90 is not read again
});

test("a record that nobody knows ends the run where it stands", () => {
  const timeline = new Timeline(new Swarm());
  let said = "";
  timeline.onBroken = (sentence) => (said = sentence);
  timeline.append(new Chunk(JOURNAL, 0, new Uint8Array([...added(2, 0, 1), 33])), 1e6);
  assert(timeline.advance(5));
  assert.match(said, /unknown kind '!'/);
  assert.equal(timeline.brokenFrom, 2);
});

test("what happened at the very instant of a chunk is found from there", () => {
  const timeline = new Timeline(new Swarm());
  for (const [number, time] of [0, 1, 1, 2].entries()) timeline.append(new Chunk(JOURNAL, time, added(time, number, 0)), 1e6);
  assert.deepEqual(timeline.latest(1, 9, () => true).map((one) => one.body), [2, 1, 0]);
  assert.deepEqual(timeline.latest(2, 9, () => true).map((one) => one.body), [3, 2, 1, 0]);
  assert.deepEqual(timeline.between(1, 1).map((one) => one.body), [1, 2]);
});

test("a beam ends where it meets a wall, a pillar or the border", () => {
  const solid = solidOf({ width: 10, height: 10, obstacles: [{ block: [6, 4], size: [2, 2] }, { pillar: [2, 8], radius: 1 }, { wall: [[0, 2], [9, 2]] }] });
  assert.equal(beamLength(2, 5, 0, 9, solid), 4);
  assert.equal(beamLength(2, 5, 0, 3, solid), 3);
  assert(Math.abs(beamLength(2, 5, Math.PI / 2, 9, solid) - 2) < 1e-12);
  assert(Math.abs(beamLength(2, 5, -Math.PI / 2, 9, solid) - 3) < 1e-12);
  assert(Math.abs(beamLength(2, 5, Math.PI, 9, solid) - 2) < 1e-12);
});

test("a beam goes through glass, a mesh, and what a map says that light passes, and through nothing else", () => {
  const wall = (x: number, material: unknown) => ({ wall: [[x, 0], [x, 10]], material });
  const solid = solidOf({ obstacles: [wall(1, "glass"), wall(2, "mesh"), wall(3, { name: "film", stops_light: false }), wall(4, "curtain")] });
  assert.equal(beamLength(0, 5, 0, 9, solid), 4);
});

test("teams have colours where there is more than one, and robots the sensors of their group", () => {
  const field = { name: "eye", reach: 2, view: 0, bearing: 0, offset: 0, rays: 0 };
  const groups = new Groups([{ first: 0, count: 2, team: "red", sensors: [field] }, { first: 2, count: 3, team: "blue", sensors: [] }]);
  assert.equal(groups.styleOf(0), groups.styleOf(1));
  assert.notEqual(groups.styleOf(1), groups.styleOf(2));
  assert.equal(groups.styleOf(9), null);
  assert.deepEqual(groups.fieldsOf(1), [field]);
  assert.deepEqual(groups.fieldsOf(2), []);
  assert(!new Groups([{ first: 0, count: 2, team: "", sensors: [] }]).hasTeams);
});

test("a way that was told is drawn from the place that comes next, until the motion ends", () => {
  const swarm = new Swarm();
  swarm.added(0, 1, 0, 0, 0, { kind: "disc", radius: 0.5 });
  swarm.way(1, 1, [[2, 0], [2, 4], [-1.5, 4]]);
  swarm.commanded(1, 1, 5, [-1.5, 4]);
  const places = swarm.bodies.get(1)?.way?.places ?? [];
  assert.deepEqual(places, [[2, 0], [2, 4], [-1.5, 4]]);
  assert.deepEqual([[1, 0], [2, 1], [1, 4]].map(([x = 0, y = 0]) => ahead(places, { x, y, heading: 0 })), [0, 1, 2]);
  swarm.commanded(2, 1, 1, [9, 9]);
  assert.equal(swarm.bodies.get(1)?.way, null);
});

test("a robot that fell is remembered where it fell, one that was removed is not", () => {
  const swarm = new Swarm();
  for (const number of [1, 2]) swarm.added(0, number, number, 5, 0, { kind: "disc", radius: 0.5 });
  swarm.gone(3, 1, true);
  swarm.gone(3, 2, false);
  assert.deepEqual([...swarm.lost], [[1, { time: 3, x: 1, y: 5, radius: 0.5 }]]);
});

test("counts a second, wider bins for longer runs", () => {
  const timeline = new Timeline(new Swarm());
  for (const time of [0.5, 0.75, 2.5]) timeline.append(new Chunk(JOURNAL, time, added(time, 0, 0)), 1e6);
  const counts = new Counts();
  counts.take(timeline, 3);
  assert.deepEqual(counts.rates().events, [2, 0, 1]);
  counts.take(timeline, 1000);
  assert.equal(counts.width, 2);
  assert.deepEqual(counts.rates().events, [1, 0.5]);
});

function bodyOf(shape: Body["shape"], radius: number): Body {
  const swarm = new Swarm();
  swarm.added(0, 0, 0, 0, 0, shape);
  const body = swarm.bodies.get(0);
  assert.ok(body !== undefined);
  assert.equal(body.radius, radius);
  return body;
}

test("a robot is at least 12 pixels across, and less only where so many would hide each other", () => {
  const camera = Object.assign(new Camera(), { width: 400, height: 300, scale: 1 });
  const plane = { left: 0, bottom: 0, right: 400, top: 300 };
  assert.equal(leastRadius(plane, 10, camera, 1), 6);
  assert.equal(leastRadius(plane, 10, camera, 2), 12);
  // 1200 robots on 120,000 square pixels are 10 pixels apart: seven tenths of that are a robot.
  assert.equal(leastRadius(plane, 1200, camera, 1), 3.5);
  assert.equal(leastRadius(null, 1200, camera, 1), 3.5);
  assert.equal(leastRadius(plane, 1e9, camera, 1), 1.5);
  const body = bodyOf({ kind: "disc", radius: 2 }, 2);
  assert.equal(enlargement(body, camera, 6), 3);
  assert.equal(enlargement(body, camera, 1), 1);
});

test("a name stands where its body ends: a long one that lies across reaches less far up than one that stands", () => {
  const car = bodyOf({ kind: "polygon", corners: [[-2, -1], [2, -1], [2, 1], [-2, 1]] }, Math.hypot(2, 1));
  const egg = bodyOf({ kind: "ellipse", halfLength: 3, halfWidth: 1 }, 3);
  for (const [body, lying, standing] of [[car, 1, 2], [egg, 1, 3], [bodyOf(DISC, 1), 1, 1]] as const) {
    assert.ok(Math.abs(reachUp(body, { x: 0, y: 0, heading: Math.PI }) - lying) < 1e-9);
    assert.ok(Math.abs(reachUp(body, { x: 0, y: 0, heading: Math.PI / 2 }) - standing) < 1e-9);
  }
});

test("a word that would lie upon another or upon a robot is left out", () => {
  const room = new Room();
  assert.deepEqual([room.take(0, 0, 10, 5), room.take(9, 4, 10, 5), room.take(11, 0, 10, 5), room.take(0, 6, 30, 5)], [true, false, true, true]);
  room.keep(50, 50, 5);
  assert.deepEqual([room.take(40, 44, 20, 5), room.take(40, 38, 20, 5)], [false, true]);
});

test("the scale bar has a round length, in a unit that a person would choose", () => {
  assert.deepEqual([0.9, 1, 1.1, 4.9, 5.1, 0.03, 700].map(roundUp).map((value) => Number(value.toPrecision(3))), [1, 1, 2, 5, 10, 0.05, 1000]);
  assert.deepEqual([0.002, 0.05, 2, 500, 5000].map(metres), ["2 mm", "5 cm", "2 m", "500 m", "5 km"]);
});

test("the lines of the diagram are those that are meant, and together by group", () => {
  const teams: Record<number, string> = { 0: "red", 1: "blue", 2: "red", 3: "blue" };
  const crowd = { robots: [3, 1, 0, 2], nameOf: (robot: number) => (robot === 2 ? "ann" : String(robot)), groupOf: (robot: number) => teams[robot] ?? "" };
  const robots = (text: string, isGrouped = false): number[] => new Filter(text).lines(crowd, isGrouped).map(({ robot }) => robot);
  assert.deepEqual(robots(""), [0, 1, 2, 3]);
  assert.deepEqual(robots("Ann, 3"), [2, 3]);
  assert.deepEqual(robots("blue"), [1, 3]);
  assert.deepEqual(robots("Question"), [0, 1, 2, 3]);
  assert.deepEqual(robots("", true), [1, 3, 0, 2]);
  assert.deepEqual(new Filter("").lines(crowd, true).filter(({ isFirst }) => isFirst).map(({ group }) => group), ["blue", "red"]);
  const isMeant = new Filter("3 que").messages(["Question", "Answer"]);
  assert.deepEqual(["Question", "Answer"].map(isMeant), [true, false]);
  assert.equal(new Filter("3").messages(["Question"])("Answer"), true);
});

test("the wheel makes the span of the diagram longer and shorter, within bounds", () => {
  assert.ok(zoomed(10, -100) < 10 && zoomed(10, 100) > 10);
  assert.deepEqual([zoomed(10, -1e9), zoomed(10, 1e9)], [0.01, 3600]);
});

test("a name that is too long keeps its number", () => {
  const fits = (text: string): boolean => text.length <= 9;
  assert.deepEqual(["ann", "eastbound 137", "Auriga-alpha", "123456789012"].map((name) => shortened(name, fits)),
    ["ann", "eastb…137", "Auriga-a…", "…123456789012"]);
});

test("on lines that lie close together contacts alone are marked", () => {
  assert.deepEqual((["contact", "note", "command", "sent"] as const).map((kind) => isMarked(kind, 0.6)), [true, false, false, false]);
  assert.deepEqual((["contact", "note", "command", "sent"] as const).map((kind) => isMarked(kind, 20)), [true, true, true, false]);
});
