// What programs show: words, colours, plots, and sentences in place of protocol.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Chunk, JOURNAL } from "../src/run/chunk";
import { innerMost, readable, robotsInWords, talkInWords } from "../src/run/digest";
import { NOBODY } from "../src/run/journal";
import { onRamp } from "../src/draw/palette";
import { counted, inWords, Showings, type ShownMap } from "../src/run/published";
import { mapPixels } from "../src/draw/published_layer";
import { Series } from "../src/run/series";
import { Swarm } from "../src/run/swarm";
import { Timeline } from "../src/run/timeline";

const MAP: ShownMap = { kind: "map", x: 1, y: 2, cell: 0.5, rows: 2, columns: 2, cells: new Uint8Array([0, 100, 255, 30]) };

test("everything that is shown has words", () => {
  const values = [0.1 + 0.2, 7, true, false, "leader", MAP, { kind: "path", places: [[0, 0], [3, 4]] } as const, null] as Parameters<typeof inWords>[0][];
  assert.deepEqual(values.map(inWords), ["0.3", "7", "yes", "no", "leader", "0.75 m² seen", "2 places, 5 m", "–"]);
  assert.deepEqual([counted(1, "robot"), counted(2, "robot")], ["1 robot", "2 robots"]);
});

test("a robot has the colour of its word, and the legend says how many do", () => {
  const showings = new Showings();
  assert(!showings.hasColors);
  showings.put(0, "state", "leads");
  showings.put(1, "state", "follows");
  showings.put(2, "state", "follows");
  showings.put(NOBODY, "state", "of the run");
  assert.equal(showings.styleOf(1), showings.styleOf(2));
  assert.notEqual(showings.styleOf(0), showings.styleOf(1));
  assert.deepEqual(showings.legend().map(({ text }) => text), ["follows: 2", "leads: 1"]);
  showings.drop(2);
  showings.put(1, "state", null);
  assert.deepEqual(showings.legend().map(({ text }) => text), ["leads: 1"]);
  assert.equal(showings.styleOf(1), null);
});

test("numbers are coloured from the least to the greatest, and all anew when those change", () => {
  const showings = new Showings();
  showings.coloredBy = "battery";
  showings.put(0, "battery", 0);
  showings.put(1, "battery", 1);
  const before = showings.repaints;
  assert.deepEqual([showings.styleOf(0), showings.styleOf(1)], [onRamp(0), onRamp(1)]);
  assert.deepEqual(showings.legend().map(({ text }) => text), ["0", "1"]);
  showings.put(1, "battery", 2);
  assert(showings.repaints > before);
});

test("more words than colours colour nobody", () => {
  const showings = new Showings();
  for (let number = 0; number < 9; number += 1) showings.put(number, "state", `word ${number}`);
  assert(!showings.hasColors);
});

test("the map of all is drawn before those of single robots, unless another is asked for", () => {
  const showings = new Showings();
  assert.equal(showings.mapDrawn, "");
  showings.put(0, "map of robot 1", MAP);
  showings.put(0, "map", MAP);
  assert.equal(showings.mapDrawn, "map");
  showings.mapDrawn = "map of robot 1";
  assert.equal(showings.mapDrawn, "map of robot 1");
});

test("the lowest row of a map is the last of its picture, and what nobody saw is clear", () => {
  const pixels = mapPixels(MAP, [1, 1, 1], [0, 0, 0]);
  const alpha = [3, 7, 11, 15].map((at) => pixels[at]);
  assert.deepEqual(alpha.map((one) => one === 0), [true, false, false, false]);
  assert.deepEqual([pixels[8], pixels[12]], [255, 0]);
});

// A journal of numbers and texts that robot 0 and others show.
function journal(values: [time: number, body: number, name: string, value: number | string][]): Uint8Array {
  const bytes: number[] = [];
  const put = (value: number, kind: "u16" | "u32" | "f64"): void => {
    const view = new DataView(new ArrayBuffer(8));
    if (kind === "f64") view.setFloat64(0, value, true);
    else view.setUint32(0, value, true);
    bytes.push(...new Uint8Array(view.buffer).slice(0, { u16: 2, u32: 4, f64: 8 }[kind]));
  };
  for (const [time, body, name, value] of values) {
    const text = new TextEncoder().encode(typeof value === "string" ? value : "");
    bytes.push(84);
    put(time, "f64");
    bytes.push(80);
    put(body, "u32");
    put(3 + name.length + (typeof value === "string" ? text.length : 8), "u32");
    put(name.length, "u16");
    bytes.push(...new TextEncoder().encode(name), typeof value === "string" ? 2 : 1);
    if (typeof value === "string") bytes.push(...text);
    else put(value, "f64");
  }
  return new Uint8Array(bytes);
}

function seriesOf(values: [number, number, string, number | string][]): Series {
  const timeline = new Timeline(new Swarm());
  const bytes = journal(values);
  timeline.append(new Chunk(JOURNAL, 0, bytes, null, bytes.length), Infinity);
  const series = new Series();
  series.take(timeline);
  return series;
}

test("numbers are plotted as they stand, a line a robot, to the end", () => {
  const [plot] = seriesOf([[0, 0, "battery", 1], [0, 1, "battery", 0.5], [4, 0, "battery", 0.75]]).plots((body) => `robot ${body}`, 10);
  assert.deepEqual(plot, {
    name: "battery", isCount: false, lines: ["robot 0", "robot 1"], times: [0, 4, 10], values: [[1, 0.75, 0.75], [0.5, 0.5, 0.5]],
  });
});

test("of words it is plotted how many robots show each", () => {
  const [plot] = seriesOf([[0, 0, "state", "follows"], [0, 1, "state", "follows"], [4, 0, "state", "leads"]]).plots(String, 10);
  assert.deepEqual(plot, { name: "state", isCount: true, lines: ["follows", "leads"], times: [0, 4, 10], values: [[2, 1, 1], [0, 1, 1]] });
});

test("of many robots the least, the mean and the greatest are plotted", () => {
  const [plot] = seriesOf(Array.from({ length: 9 }, (_, body) => [1, body, "x", body])).plots(String, 1);
  assert.deepEqual([plot?.lines, plot?.values], [["least", "mean", "greatest"], [[0], [4], [8]]]);
});

test("messages are told as programs sent them, to robots and not to numbers", () => {
  assert.deepEqual(innerMost("InChannel", "1, Question(3, 5)"), { type: "Question", content: "3, 5" });
  assert.deepEqual(["0, 3557446773213003, 108, 5", "[1, 2]", "3, 5", "'a', 1, 2"].map(readable), ["", "(1, 2)", "3, 5", "'a', 1, 2"]);
  assert.deepEqual(["1105474377045353, 0", "((0, 136), (5, 68))", "3, Zone[([1, 2]), 0.6], None"].map(readable), ["", "", ""]);
  assert.deepEqual(["vehicle 3, ([0.5, 0.2], [0, 1]), (), (0.1, 0.2)", "edition 1", "4, None", "[1, 2], True"].map(readable),
    ["vehicle 3", "edition 1", "4", "(1, 2), True"]);
  assert.deepEqual(["[0.4, 0.3], 0.0, 0.1, (inf, 0.38)", "[1, 2], [0, 0], 1.57, 1.57, -1, False", ""].map(readable), ["", "", ""]);
  assert.deepEqual([[], [4], [1, 2], [1, 2, 3], [1, 2, 3, 4]].map(robotsInWords), ["nobody", "robot 4", "robots 1 and 2", "robots 1, 2 and 3", "4 robots"]);
  assert.equal(talkInWords("radio s p1,p2 News 'edition 1'"), "says News 'edition 1' to robots 1 and 2");
  assert.equal(talkInWords("radio r p4 Hello"), "hears Hello from robot 4");
  assert.equal(talkInWords("radio s all News x"), "says News x to all");
  assert.equal(talkInWords("trusts p3"), "trusts p3");
  assert.deepEqual(["s eyes 1", "s positions", "s front 0.8 inf", "s o s"].map(talkInWords), ["reads eyes", "reads positions", "reads front", "s o s"]);
});

test("what lies on the plane is counted as it comes, is replaced and goes", () => {
  const showings = new Showings();
  const marks = { kind: "marks", places: [[1, 2]] } as const;
  showings.put(0, "battery", 0.7);
  assert.equal(showings.lying, 0);
  for (const name of ["a", "b", "a"]) showings.put(0, name, { ...marks, places: [[1, 2]] });
  showings.put(1, "a", { ...marks, places: [[1, 2]] });
  assert.equal(showings.lying, 3);
  showings.put(0, "b", null);
  showings.put(1, "a", 3);
  assert.equal(showings.lying, 1);
  showings.drop(0);
  assert.equal(showings.lying, 0);
});
