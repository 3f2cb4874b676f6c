// Where is a body at any instant? The closed forms of the core, so that a robot is drawn where it is.
//
// A piece of motion has a clock of its own, which terrain may slow: at time t it stands at since + rate * (t - time).

export interface Pose {
  x: number;
  y: number;
  heading: number;
}

export interface Piece {
  time: number;
  rate: number;
  since: number;
  isArc: boolean;
  x: number;
  y: number;
  heading: number;
  ux: number; // the direction of the path at the beginning, of length 1
  uy: number;
  speed: number;
  acceleration: number;
  turning: number; // of a line a second, of an arc a metre of the way
  duration: number;
  lastX: number;
  lastY: number;
  lastHeading: number;
}

export function resting(x: number, y: number, heading: number, time: number): Piece {
  return {
    time, rate: 0, since: 0, isArc: false, x, y, heading, ux: 1, uy: 0, speed: 0, acceleration: 0, turning: 0,
    duration: 0, lastX: x, lastY: y, lastHeading: heading,
  };
}

// Writes the pose at an instant into `out`, which is given so that nothing is allocated for each frame.
export function poseAt(piece: Piece, instant: number, out: Pose): Pose {
  const clock = piece.since + piece.rate * (instant - piece.time);
  if (clock >= piece.duration) {
    out.x = piece.lastX;
    out.y = piece.lastY;
    out.heading = piece.lastHeading;
    return out;
  }
  if (clock <= 0) {
    out.x = piece.x;
    out.y = piece.y;
    out.heading = piece.heading;
    return out;
  }
  const way = (piece.speed + 0.5 * piece.acceleration * clock) * clock;
  if (!piece.isArc) {
    out.x = piece.x + piece.ux * way;
    out.y = piece.y + piece.uy * way;
    out.heading = piece.heading + piece.turning * clock;
    return out;
  }
  // The chord of an arc points halfway between the directions at its ends.
  const angle = piece.turning * way;
  const half = 0.5 * angle;
  const cos = Math.cos(half);
  const sin = Math.sin(half);
  const chord = half === 0 ? way : way * (sin / half);
  out.x = piece.x + (piece.ux * cos - piece.uy * sin) * chord;
  out.y = piece.y + (piece.uy * cos + piece.ux * sin) * chord;
  out.heading = piece.heading + angle;
  return out;
}

export function isMoving(piece: Piece, instant: number): boolean {
  return piece.rate > 0 && piece.since + piece.rate * (instant - piece.time) < piece.duration;
}

// Metres a second along the path.
export function speedAt(piece: Piece, instant: number): number {
  if (!isMoving(piece, instant)) return 0;
  const clock = piece.since + piece.rate * (instant - piece.time);
  return Math.abs(piece.speed + piece.acceleration * clock) * piece.rate;
}
