// What the page makes of a station's words, on numbers that can be checked in one's head.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused } from "../src/actions/actions";
import { asSentence, StationApi } from "../src/station/api";
import { StationActions } from "../src/station/actions";
import { mapText } from "../src/draw/map_text";
import { heat, rangeOf } from "../src/station/drawing";
import { bytesOf, taskWords, wayOf, type StationWord } from "../src/station/records";
import { StationSession } from "../src/station/session";
import type { Task } from "../src/types";

const TASK: Task = {
  id: 1, robot: "r1", name: "goTo", arguments: { at: { x: 7, y: 1.25 } }, state: "sent", outcome: "", given_by: "ana", given_at: 0, ended_at: null,
};

interface Asked {
  path: string;
  body: unknown;
  token: string | null;
}

// Answers in place of a station, and writes down what it was asked.
function answering(answers: Record<string, [number, object]>): Asked[] {
  const asked: Asked[] = [];
  globalThis.fetch = (input, init) => {
    const path = input as string;
    const token = new Headers(init?.headers).get("Authorization");
    asked.push({ path, body: JSON.parse(init?.body as string), token });
    const [status, body] = answers[path] ?? [200, {}];
    return Promise.resolve(new Response(JSON.stringify(body), { status }));
  };
  return asked;
}

function aSession(): { station: StationSession; told: string[] } {
  const told: string[] = [];
  const station = new StationSession({
    named: (robots) => { told.push(Object.values(robots).join()); }, mapped: () => { told.push("map"); },
    enter: () => { told.push("enter"); }, leave: (isForgotten) => { told.push(isForgotten ? "forget" : "leave"); },
  });
  return { station, told };
}

const ROBOTS: StationWord = {
  kind: "robots", isAll: true, robots: {
    0: { tag: "a", team: "red", body: "", state: "connected" }, 1: { tag: "b", team: "red", body: "", state: "away" },
    2: { tag: "c", team: "blue", body: "", state: "lost" },
  },
};

test("a task is a few words and leads somewhere", () => {
  assert.equal(taskWords(TASK), "goTo (7, 1.25)");
  const path = { ...TASK, name: "followPath", arguments: { path: [{ x: 1, y: 2 }, { x: 3, y: 4 }, "nonsense"] } };
  assert.deepEqual(wayOf(path), [{ x: 1, y: 2 }, { x: 3, y: 4 }]);
  assert.equal(taskWords({ ...TASK, name: "run_code", arguments: { name: "dance", code: "" } }), "run_code dance");
});

test("a station's words become a sentence", () => {
  assert.equal(asSentence("there is no robot 'r9'"), "There is no robot 'r9'.");
  assert.equal(asSentence("Log in."), "Log in.");
});

test("cold is blue, warm is red, and the middle is white", () => {
  assert.deepEqual([heat(0), heat(0.5), heat(1)], ["rgb(33, 102, 172)", "rgb(247, 247, 247)", "rgb(178, 24, 43)"]);
  assert.deepEqual(rangeOf([3, -1, 2]), [-1, 3]);
  assert.deepEqual(rangeOf([]), [0, 0]);
});

test("bytes that travelled as text are the same", () => {
  assert.deepEqual([...bytesOf("AAEC/w==")], [0, 1, 2, 255]);
});

test("actions are operations, with the token of who acts and the robot's tag", async () => {
  const asked = answering({ "v1/stop": [200, { is_written: true, is_heard: false }] });
  const api = new StationApi();
  api.token = "secret";
  const actions = new StationActions(api, { isSuperUser: false, tagOf: (robot) => ["a", "b"][robot], own: () => ["a", "b"] });
  await actions.goTo(0, { x: 1, y: 2 }, "interrupt");
  assert.equal(await actions.stop(null), "");
  assert.deepEqual(asked.map((one) => one.path), ["v1/give_task", "v1/stop", "v1/stop"]);
  const { request, ...task } = asked[0]?.body as { request: string };
  assert.deepEqual(task, { robot: "a", task: "goTo", arguments: { at: { x: 1, y: 2 } }, when: "now" });
  assert.match(request, /^[0-9a-f-]{8,64}$/);
  assert.ok(asked.every((one) => one.token === "Bearer secret"));
  await assert.rejects(async () => { await actions.goTo(7, { x: 1, y: 2 }, "queue"); }, Refused);
  assert.ok(!actions.offers.has("loadMap"));
});

test("one robot that cannot be stopped keeps none of the others going", async () => {
  const asked = answering({ "v1/stop": [403, { error: "robot 'a' is not of your team" }] });
  const actions = new StationActions(new StationApi(), { isSuperUser: true, tagOf: () => "a", own: () => ["a", "b", "c"] });
  await assert.rejects(actions.stop(null), { name: "Refused", message: "Robot 'a' is not of your team." });
  assert.equal(asked.length, 3);
});

test("a stop that is not written down yet is said to be that", async () => {
  const actions = new StationActions(new StationApi(), { isSuperUser: true, tagOf: () => "a", own: () => ["a"] });
  answering({ "v1/stop": [200, { is_written: false, is_heard: true }] });
  assert.equal(await actions.stop(0), "a is stopped, not yet written down.");
  answering({ "v1/stop": [200, { is_written: false, is_heard: false }] });
  assert.equal(await actions.stop(null), "a was told to stop and has not answered yet; this is not yet written down.");
});

test("who logs in enters, and a token that is worth nothing is forgotten", async () => {
  const { station, told } = aSession();
  assert.ok(station.isAsking);
  answering({ "v1/log_in": [401, { error: "the name or the password is wrong" }] });
  await station.logIn("ana", "no");
  assert.equal(station.sentence, "The name or the password is wrong.");
  answering({ "v1/log_in": [200, { token: "secret" }] });
  await station.logIn("ana", "yes");
  assert.deepEqual([station.token, station.isAsking, told], ["secret", false, ["enter"]]);
  answering({ "v1/stop": [401, { error: "this token has expired; log in again" }] });
  station.hear(ROBOTS);
  await assert.rejects(station.actions.stop(0));
  assert.deepEqual([station.token, station.isAsking, station.sentence], [null, true, "This token has expired; log in again."]);
  assert.deepEqual(told, ["enter", "a,b,c", "leave"]);
});

test("whoever has a first password is asked for another, until the station takes it", async () => {
  const { station } = aSession();
  answering({ "v1/log_in": [428, { error: "somebody else chose this password", reason: "first_password" }] });
  await station.logIn("ana", "first");
  assert.deepEqual([station.needsPassword, station.isAsking], [true, true]);
  answering({ "v1/log_in": [422, { error: "the new password is the present one; choose another", reason: "invalid" }] });
  await station.logIn("ana", "first", { new_password: "first" });
  assert.deepEqual([station.needsPassword, station.isAsking], [true, true]);
  const asked = answering({ "v1/log_in": [200, { token: "secret" }] });
  await station.logIn("ana", "first", { new_password: "own", life: 3600 });
  assert.deepEqual(asked[0]?.body, { name: "ana", password: "first", new_password: "own", life: 3600 });
  assert.deepEqual([station.needsPassword, station.isAsking], [false, false]);
});

test("what a task prints is read anew when it has printed more, while it is shown", async () => {
  const { station } = aSession();
  const asked = answering({ "v1/task_output": [200, { text: "one\n", last: 4 }] });
  await station.showOutput(7);
  assert.deepEqual(station.output, { task: 7, text: "one\n" });
  const printed = (task: number): void => {
    station.hear({ kind: "happened", happened: [{ id: task, at: 0, kind: "task_output", team: "red", robot: "a", data: { task } }] });
  };
  printed(8);
  assert.equal(asked.length, 1);
  printed(7);
  assert.equal(asked.length, 2);
  await station.showOutput(null);
  printed(7);
  assert.equal(asked.length, 2);
  assert.equal(station.output, null);
});

test("one may act on the robots of one's team that are there; a super-user on all", () => {
  answering({});
  const { station } = aSession();
  station.hear(ROBOTS);
  station.hear({ kind: "known", name: "ana", team: "red", role: "commander" });
  assert.deepEqual(station.own(), ["a"]);
  station.hear({ kind: "known", name: "ana", team: "red", role: "super-user" });
  assert.deepEqual(station.own(), ["a", "c"]);
});

test("of another person's sight nothing stays, and only one's own tasks are noticed", () => {
  answering({});
  const { station, told } = aSession();
  station.hear({ kind: "known", name: "ana", team: "red", role: "commander" });
  station.hear(ROBOTS);
  const find = { id: 1, name: "cup", at: { x: 0, y: 0 }, robot: "a", team: "red", media: null, found_at: 0 };
  station.hear({ kind: "objects", objects: [find], isAll: true });
  station.hear({ kind: "objects", objects: [{ ...find, id: 2 }], isAll: false });
  assert.equal(station.finds.length, 2);
  const ended = { id: 5, at: 0, kind: "task_ended", team: "red", robot: "a", data: { name: "goTo", state: "failed", outcome: "no path", given_by: "ana" } };
  station.hear({ kind: "happened", happened: [ended, { ...ended, data: { ...ended.data, given_by: "bob" } }] });
  assert.deepEqual(station.notices.map((one) => one.text), ["a: goTo failed: no path"]);
  const [notice] = station.notices;
  if (notice !== undefined) station.dismiss(notice);
  station.hear({ kind: "known", name: "bob", team: "blue", role: "observer" });
  assert.deepEqual([station.finds, station.robots.size, told.at(-1)], [[], 0, "forget"]);
});

test("a map is written as a map file", () => {
  const map = { width: 4, height: 3, origin: [0, 0] as [number, number], obstacles: [{ wall: [[1, 0], [1, 2]], name: 'the "wall"' }] };
  assert.equal(mapText(map), '[map]\nwidth = 4\nheight = 3\norigin = [0, 0]\nobstacles = [\n  { wall = [[1, 0], [1, 2]], name = "the \\"wall\\"" },\n]\n');
});

test("a file of code has a name that the station takes", async () => {
  const asked = answering({});
  const actions = new StationActions(new StationApi(), { isSuperUser: false, tagOf: () => "a", own: () => [] });
  await actions.giveCode(0, "my dance.py", "pass");
  await actions.giveCode(0, "2.py", "pass");
  assert.deepEqual(asked.map((one) => (one.body as { name: string }).name), ["my_dance", "_2"]);
});
