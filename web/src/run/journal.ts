// What happened in a run, read from the bytes of its journal: the same in a run file and in a live feed.
//
// `read` goes through whole records and tells each to a listener. It stops before the first record of a later time than
// `until`, and says where, so that reading can go on from there.

import type { Piece } from "./motion";
import type { Published } from "./published";

export const NOBODY = 0xffffffff;

export type Shape =
  | { kind: "disc"; radius: number }
  | { kind: "polygon"; corners: [number, number][] }
  | { kind: "ellipse"; halfLength: number; halfWidth: number };

// Floor within a radius of a path: granted to a robot, or only asked for.
export interface Zone {
  path: [number, number][];
  radius: number;
  isGranted: boolean;
}

export interface Listener {
  added(time: number, body: number, x: number, y: number, heading: number, shape: Shape): void;
  gone(time: number, body: number, fell: boolean): void;
  resized(time: number, body: number, shape: Shape): void;
  jumped(time: number, body: number, x: number, y: number, heading: number): void;
  commanded(time: number, body: number, command: number, values: readonly number[]): void;
  moves(time: number, body: number, piece: Piece): void;
  ended(time: number, body: number, why: number, x: number, y: number, heading: number): void;
  touched(time: number, body: number, other: number, obstacle: number, x: number, y: number): void;
  noted(time: number, body: number, text: string): void;
  way(time: number, body: number, places: [number, number][]): void;
  reserved(time: number, body: number, zones: Zone[]): void; // in place of those it had
  published(time: number, body: number, name: string, value: Published | null): void; // null where nothing stands any more
  counted(time: number, body: number, contacts: number, sent: number, received: number): void; // up to then, in a state
  stands(time: number, obstacle: number, text: string): void; // a table as in a map, as JSON
  cleared(time: number, obstacle: number): void;
  sent(time: number, message: number, sender: number, receivers: number[], type: string, content: string): void;
  received(time: number, message: number, receiver: number): void;
  dropped(time: number, message: number, receiver: number, reason: string): void;
}

export class JournalError extends Error {}

const TEXT = new TextDecoder();

export class JournalReader {
  time: number;
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array, time: number) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.time = time;
  }

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length;
  }

  // Returns whether all was read; false when a record of a time after `until` comes next.
  read(listener: Listener, until = Infinity): boolean {
    while (this.at < this.bytes.length) {
      if (this.bytes[this.at] === 84) {
        const time = this.view.getFloat64(this.at + 1, true);
        if (time > until) return false;
        this.time = time;
        this.at += 9;
        continue;
      }
      this.record(listener);
    }
    return true;
  }

  // The time of the next record, or Infinity at the end.
  nextTime(): number {
    let at = this.at;
    let time = this.time;
    while (this.bytes[at] === 84) {
      time = this.view.getFloat64(at + 1, true);
      at += 9;
    }
    return at < this.bytes.length ? time : Infinity;
  }

  private record(listener: Listener): void {
    const tag = String.fromCharCode(this.u8());
    const time = this.time;
    switch (tag) {
      case "A":
        listener.added(time, this.u32(), this.f64(), this.f64(), this.f64(), this.shape());
        return;
      case "R":
        listener.gone(time, this.u32(), this.u8() === 1);
        return;
      case "S":
        listener.resized(time, this.u32(), this.shape());
        return;
      case "J":
        listener.jumped(time, this.u32(), this.f64(), this.f64(), this.f64());
        return;
      case "K":
        listener.commanded(time, this.u32(), this.u8(), this.floats(6));
        return;
      case "M":
        listener.moves(time, this.u32(), this.piece(time));
        return;
      case "E":
        listener.ended(time, this.u32(), this.u8(), this.f64(), this.f64(), this.f64());
        return;
      case "C":
        listener.touched(time, this.u32(), this.u32(), this.i32(), this.f64(), this.f64());
        return;
      case "N": {
        const body = this.u32();
        listener.noted(time, body, this.text(this.u32()));
        return;
      }
      case "W": {
        const body = this.u32();
        listener.way(time, body, this.places(this.u32() / 16));
        return;
      }
      case "Z": {
        const body = this.u32();
        listener.reserved(time, body, this.zones(this.u32()));
        return;
      }
      case "P":
        this.published(listener, time);
        return;
      case "I":
        listener.counted(time, this.u32(), this.u32(), this.u32(), this.u32());
        return;
      case "O": {
        const obstacle = this.u32();
        listener.stands(time, obstacle, this.text(this.u32()));
        return;
      }
      case "X":
        listener.cleared(time, this.u32());
        return;
      case "Q": {
        const message = this.u64();
        const sender = this.u32();
        const count = this.u32();
        const typeLength = this.u16();
        const contentLength = this.u32();
        const receivers = Array.from({ length: count }, () => this.u32());
        listener.sent(time, message, sender, receivers, this.text(typeLength), this.text(contentLength));
        return;
      }
      case "G":
        listener.received(time, this.u64(), this.u32());
        return;
      case "D": {
        const message = this.u64();
        const receiver = this.u32();
        listener.dropped(time, message, receiver, this.text(this.u16()));
        return;
      }
      default:
        throw new JournalError(`a record of the unknown kind '${tag}' at byte ${this.at - 1}`);
    }
  }

  private piece(time: number): Piece {
    const rate = this.f64();
    const since = this.f64();
    const isArc = this.u8() === 1;
    return {
      time, rate, since, isArc,
      x: this.f64(), y: this.f64(), heading: this.f64(), ux: this.f64(), uy: this.f64(),
      speed: this.f64(), acceleration: this.f64(), turning: this.f64(), duration: this.f64(),
      lastX: this.f64(), lastY: this.f64(), lastHeading: this.f64(),
    };
  }

  private shape(): Shape {
    const kind = this.u8();
    if (kind === 0) return { kind: "disc", radius: this.f64() };
    if (kind === 2) return { kind: "ellipse", halfLength: this.f64(), halfWidth: this.f64() };
    const count = this.u16();
    return { kind: "polygon", corners: this.places(count) };
  }

  private zones(length: number): Zone[] {
    const zones: Zone[] = [];
    for (const end = this.at + length; this.at < end;) {
      const isGranted = this.u8() === 1;
      const radius = this.f64();
      zones.push({ path: this.places(this.u16()), radius, isGranted });
    }
    return zones;
  }

  private published(listener: Listener, time: number): void {
    const body = this.u32();
    const end = this.u32() + this.at;
    const name = this.text(this.u16());
    listener.published(time, body, name, this.value(this.u8(), end));
  }

  private value(kind: number, end: number): Published | null {
    const places = (): [number, number][] => this.places((end - this.at) / 16);
    switch (kind) {
      case 0:
        return null;
      case 1:
        return this.f64();
      case 2:
        return this.text(end - this.at);
      case 3:
        return this.u8() === 1;
      case 4: {
        const [x = 0, y = 0, cell = 0] = this.floats(3);
        const rows = this.u32();
        const columns = this.u32();
        return { kind: "map", x, y, cell, rows, columns, cells: this.runs(rows * columns, end) };
      }
      case 5:
        return { kind: "path", places: places() };
      case 6:
        return { kind: "marks", places: places() };
      default:
        throw new JournalError(`something is shown of the unknown kind ${kind} at byte ${this.at - 1}`);
    }
  }

  // Cells that are written as runs of equal ones.
  private runs(count: number, end: number): Uint8Array {
    const cells = new Uint8Array(count);
    for (let at = 0; this.at < end;) {
      const value = this.u8();
      const length = this.u16();
      cells.fill(value, at, at + length);
      at += length;
    }
    return cells;
  }

  private places(count: number): [number, number][] {
    return Array.from({ length: count }, () => [this.f64(), this.f64()]);
  }

  private floats(count: number): number[] {
    return Array.from({ length: count }, () => this.f64());
  }

  private text(length: number): string {
    this.at += length;
    return TEXT.decode(this.bytes.subarray(this.at - length, this.at));
  }

  private u8(): number {
    this.at += 1;
    return this.view.getUint8(this.at - 1);
  }

  private u16(): number {
    this.at += 2;
    return this.view.getUint16(this.at - 2, true);
  }

  private u32(): number {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  private i32(): number {
    this.at += 4;
    return this.view.getInt32(this.at - 4, true);
  }

  private u64(): number {
    this.at += 8;
    return Number(this.view.getBigUint64(this.at - 8, true));
  }

  private f64(): number {
    this.at += 8;
    return this.view.getFloat64(this.at - 8, true);
  }
}
