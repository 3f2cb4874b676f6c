// What happened in a piece of a run, in words: for the log, the diagram, the plots and steps from event to event.

import { JournalReader, NOBODY, type Listener } from "./journal";
import { counted, inWords, type Published } from "./published";

export type Kind =
  | "command" | "arrived" | "stopped" | "contact" | "note" | "sent" | "received" | "dropped" | "added" | "gone" | "wall" | "shows";

export const KINDS: readonly Kind[] = [
  "command", "arrived", "stopped", "contact", "note", "sent", "received", "dropped", "added", "gone", "wall", "shows",
];

export interface Happening {
  time: number;
  body: number; // NOBODY for the run itself
  kind: Kind;
  text: string;
  message: number; // the number of the message, -1 where there is none
  type: string; // of the message
  isFar: boolean; // a message that could not reach the robot at all
  shown: { name: string; value: Published | null } | null; // what a program shows from then on
}

export interface Digest {
  happenings: readonly Happening[];
}

// Who sent the message of a number, and of which type it is, as far as that was read.
export class Sendings {
  private readonly known = new Map<number, { sender: number; type: string }>();

  add(message: number, sender: number, type: string): void {
    this.known.set(message, { sender, type });
    if (this.known.size <= 200_000) return;
    const oldest = this.known.keys().next().value;
    if (oldest !== undefined) this.known.delete(oldest);
  }

  // What happened, in words; of an arrival what arrived, as far as it is known: `Question from 3`.
  words({ kind, message, text }: Happening): string {
    if (kind !== "received" && kind !== "dropped") return text;
    const one = this.known.get(message);
    return (one === undefined ? `message ${message}` : `${one.type} from robot ${one.sender}`) + text;
  }
}

const COMMANDS = ["", "move to", "forward", "turn", "arc", "follow", "steer", "stop", "motion"];

export function commandName(command: number): string {
  return COMMANDS[command] ?? "motion";
}

export function digestOf(bytes: Uint8Array, time: number, sendings: Sendings): Digest {
  const collector = new Collector(sendings);
  new JournalReader(bytes, time).read(collector);
  return collector;
}

class Collector implements Listener, Digest {
  readonly happenings: Happening[] = [];

  constructor(private readonly sendings: Sendings) {}

  added(time: number, body: number): void {
    this.tell(time, body, "added", "came in");
  }

  gone(time: number, body: number, fell: boolean): void {
    this.tell(time, body, "gone", fell ? "fell into a hole" : "was removed");
  }

  resized(): void {
    // Not an event that a person looks for.
  }

  jumped(time: number, body: number, x: number, y: number): void {
    this.tell(time, body, "added", `was put to ${place(x, y)}`);
  }

  commanded(time: number, body: number, command: number, values: readonly number[]): void {
    const [x, y] = values;
    const goal = x === undefined || y === undefined || Number.isNaN(x) || Number.isNaN(y) ? "" : ` ${place(x, y)}`;
    this.tell(time, body, "command", commandName(command) + goal);
  }

  moves(): void {
    // A part of the command that began it.
  }

  ended(time: number, body: number, why: number, x: number, y: number): void {
    if (why < 2) this.tell(time, body, why === 0 ? "arrived" : "stopped", `at ${place(x, y)}`);
  }

  touched(time: number, body: number, other: number, obstacle: number, x: number, y: number): void {
    const what = other !== NOBODY ? `robot ${other}` : obstacle === -2 ? "the border" : "an obstacle";
    this.tell(time, body, "contact", `touches ${what} at ${place(x, y)}`);
  }

  noted(time: number, body: number, text: string): void {
    this.tell(time, body, "note", talkInWords(text));
  }

  way(): void {
    // The command beside it is told.
  }

  reserved(): void {
    // Seen in the map, and in the messages that ask for it.
  }

  published(time: number, body: number, name: string, value: Published | null): void {
    this.tell(time, body, "shows", `${name}: ${inWords(value)}`, -1, "", false, { name, value });
  }

  counted(): void {
    // Stands in states alone.
  }

  stands(time: number, obstacle: number): void {
    this.tell(time, NOBODY, "wall", `obstacle ${obstacle} stands`);
  }

  cleared(time: number, obstacle: number): void {
    this.tell(time, NOBODY, "wall", `obstacle ${obstacle} is gone`);
  }

  sent(time: number, message: number, sender: number, receivers: number[], type: string, content: string): void {
    const inner = innerMost(type, content);
    this.sendings.add(message, sender, inner.type);
    this.tell(time, sender, "sent", `${inner.type} ${readable(inner.content)}`.trim() + ` to ${robotsInWords(receivers)}`, message, inner.type);
  }

  received(time: number, message: number, receiver: number): void {
    this.tell(time, receiver, "received", "", message);
  }

  dropped(time: number, message: number, receiver: number, reason: string): void {
    this.tell(time, receiver, "dropped", `: ${reason}`, message, "", isFar(reason));
  }

  private tell(
    time: number, body: number, kind: Kind, text: string, message = -1, type = "", isFar = false, shown: Happening["shown"] = null,
  ): void {
    this.happenings.push({ time, body, kind, text, message, type, isFar, shown });
  }
}

// Layers wrap a message into others: `InChannel 1, Question(3, 5)` is a Question for who looks at it.
export function innerMost(type: string, content: string): { type: string; content: string } {
  let inner = { type, content };
  for (;;) {
    const match = /(?:^|, )([A-Z]\w*)\((.*)\)$/s.exec(inner.content);
    if (match === null) return inner;
    inner = { type: match[1] ?? inner.type, content: match[2] ?? "" };
  }
}

export function innerType(type: string, content: string): string {
  return innerMost(type, content).type;
}

// What a person can read of a message: all of it where that is words, places and few numbers, else the words in it. Rows of numbers,
// numbers too long to mean anything, and what is nested are a protocol's own, and stand in the text log.
export function readable(content: string): string {
  const fields = fieldsOf(content).filter((one) => one !== "None");
  const isWhole = fields.every(isPlain) && fields.filter((one) => NUMBER.test(one)).length <= MOST_NUMBERS && fields.length <= MOST_FIELDS;
  return fields.filter((one) => isWhole || isWords(one)).map((one) => one.replace(PLACE, "($1, $2)")).join(", ");
}

const NUMBER = /^(-?[\d.]+(e[+-]?\d+)?|nan|-?inf)$/;
const PLACE = /^\[(-?[\d.e+-]+), (-?[\d.e+-]+)\]$/;
const MOST_NUMBERS = 2;
const MOST_FIELDS = 4;
const LONGEST = 1e6; // of a number that a person reads

function isPlain(field: string): boolean {
  return isWords(field) || PLACE.test(field) || field === "True" || field === "False" || (NUMBER.test(field) && !(Math.abs(Number(field)) >= LONGEST));
}

function isWords(field: string): boolean {
  return !NUMBER.test(field) && !/^(True|False)$|^([A-Z]\w*)?[([{]/.test(field);
}

// The fields of a message: what stands between the commas that are in no brackets.
function fieldsOf(content: string): string[] {
  const fields: string[] = [];
  let [begin, depth] = [0, 0];
  for (let at = 0; at < content.length; at += 1) {
    const letter = content.charAt(at);
    if ("([{".includes(letter)) depth += 1;
    else if (")]}".includes(letter)) depth -= 1;
    else if (depth === 0 && content.startsWith(", ", at)) {
      fields.push(content.slice(begin, at));
      begin = at + 2;
    }
  }
  return [...fields, content.slice(begin)].filter((one) => one !== "");
}

export function robotsInWords(numbers: readonly number[]): string {
  if (numbers.length > 3) return counted(numbers.length, "robot");
  const [only] = numbers;
  if (only === undefined) return "nobody";
  return numbers.length === 1 ? `robot ${only}` : `robots ${numbers.slice(0, -1).join(", ")} and ${numbers.at(-1) ?? ""}`;
}

// What a program says and hears above its layers is noted as `radio s p1,p2 News ...`, and a sensor that is read as `s eyes 1`; for a
// person they are sentences.
export function talkInWords(text: string): string {
  const sensor = /^s ([A-Za-z_]\w*)(?: -?(?:[\d.e+-]+|inf))*$/.exec(text);
  if (sensor !== null) return `reads ${sensor[1] ?? ""}`;
  const match = /^radio ([sr]) (all|p\d+(?:,p\d+)*) (\S+) ?(.*)$/s.exec(text);
  if (match === null) return text;
  const [, how = "", who = "", type = "", content = ""] = match;
  const others = who === "all" ? "all" : robotsInWords(who.split(",").map((one) => Number(one.slice(1))));
  return `${how === "s" ? "says" : "hears"} ${`${type} ${readable(content)}`.trim()} ${how === "s" ? "to" : "from"} ${others}`;
}

// A message to all is dropped at each robot that it cannot reach; nobody wants to see those on their way.
export function isFar(reason: string): boolean {
  return reason === "out of reach";
}

function place(x: number, y: number): string {
  return `(${short(x)}, ${short(y)})`;
}

export function short(value: number): string {
  return String(Number(value.toFixed(3)));
}
