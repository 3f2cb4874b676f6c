// Where are thousands of bodies at an instant? Most go straight on or rest, so a place and a velocity tell it for a while; the closed
// forms are asked again only when that ends, and at every instant for those on arcs and those that speed up.

import { isMoving, poseAt, type Piece, type Pose } from "./motion";

export interface Goer {
  piece: Piece;
  slot: number; // its place in the list; -1 in none
}

const FROM = 0; // from when until when the rest of a row holds
const UNTIL = 1;
const X = 2; // where it is at the beginning, and metres and radians a second
const Y = 3;
const HEADING = 4;
const EAST = 5;
const NORTH = 6;
const TURNING = 7;
const ROW = 8;

export class Courses<T extends Goer> {
  goers: readonly T[] = [];
  private rows = new Float64Array(0);
  private readonly pose: Pose = { x: 0, y: 0, heading: 0 };

  // Takes all anew; the places of `at` are in the same order.
  take(goers: readonly T[]): void {
    for (const goer of this.goers) goer.slot = -1;
    this.goers = goers;
    if (this.rows.length < goers.length * ROW) this.rows = new Float64Array(Math.ceil(goers.length * 1.5) * ROW);
    goers.forEach((goer, slot) => {
      goer.slot = slot;
      this.forget(goer);
    });
  }

  // Has one looked at anew that moves otherwise now.
  forget(goer: T): void {
    if (goer.slot >= 0) this.rows[goer.slot * ROW + FROM] = Infinity;
  }

  // Writes x and y, as differences to an origin, and the heading of each into `out`, so many numbers apart; tells of those that were looked
  // at anew, before that.
  at(now: number, [originX, originY]: readonly [number, number], out: Float32Array, stride: number, renewed: (goer: T, slot: number) => void): void {
    const { rows, goers } = this;
    const count = goers.length;
    for (let slot = 0, row = 0, to = 0; slot < count; slot += 1, row += ROW, to += stride) {
      if (!(now >= (rows[row] as number) && now < (rows[row + UNTIL] as number))) {
        const goer = goers[slot] as T;
        this.renew(goer.piece, row, now);
        renewed(goer, slot);
      }
      const passed = now - (rows[row] as number);
      out[to] = (rows[row + X] as number) - originX + (rows[row + EAST] as number) * passed;
      out[to + 1] = (rows[row + Y] as number) - originY + (rows[row + NORTH] as number) * passed;
      out[to + 2] = (rows[row + HEADING] as number) + (rows[row + TURNING] as number) * passed;
    }
  }

  private renew(piece: Piece, row: number, now: number): void {
    const { x, y, heading } = poseAt(piece, now, this.pose);
    const clock = piece.since + piece.rate * (now - piece.time);
    const goes = isMoving(piece, now) && clock >= 0;
    const isStraight = !piece.isArc && piece.acceleration === 0;
    const speed = goes && isStraight ? piece.speed * piece.rate : 0;
    let until = Infinity;
    if (goes) until = isStraight ? now + (piece.duration - clock) / piece.rate : now;
    else if (clock < 0) until = now - clock / piece.rate;
    this.rows.set([now, until, x, y, heading, piece.ux * speed, piece.uy * speed, goes && isStraight ? piece.turning * piece.rate : 0], row);
  }
}
