// The picture of the work space: canvases one upon the other: what never moves, trails, the robots, and the rest.

import { Camera, type Window } from "./camera";
import type { Groups } from "./groups";
import { isMoving, poseAt, type Pose } from "../run/motion";
import type { Acting } from "../actions/actions";
import { drawHand } from "./hand_layer";
import { drawOverlay, drawUnderlay, type Layers, type Shown } from "./overlay";
import { rgb, type Palette } from "./palette";
import { FLOATS, RobotsLayer } from "./robots_layer";
import { boundsOf, drawScenery, obstaclesOf, type MapTable } from "./scenery";
import type { Canvases } from "../station/drawing";
import type { Swarm } from "../run/swarm";
import type { Tool } from "../actions/tool";

export class Picture {
  readonly camera = new Camera();
  private readonly robots: RobotsLayer;
  private readonly ground: CanvasRenderingContext2D;
  private readonly below: CanvasRenderingContext2D;
  private readonly above: CanvasRenderingContext2D;
  private drawn = ""; // how the scenery was drawn last
  private map: MapTable | null = null; // and of which map
  private painted: { crowds: number; repaints: number; palette: Palette | null; teams: Groups | null; colors: boolean } = {
    crowds: -1, repaints: -1, palette: null, teams: null, colors: false,
  };
  private readonly pose: Pose = { x: 0, y: 0, heading: 0 };

  constructor(
    private readonly scenery: HTMLCanvasElement, private readonly underlay: HTMLCanvasElement,
    private readonly middle: HTMLCanvasElement, private readonly overlay: HTMLCanvasElement,
  ) {
    this.ground = plain(scenery);
    this.below = plain(underlay);
    this.above = plain(overlay);
    this.robots = new RobotsLayer(middle);
  }

  // Takes a new size in pixels of the device; what was in the middle stays there.
  resize(width: number, height: number): void {
    for (const canvas of [this.scenery, this.underlay, this.middle, this.overlay]) {
      canvas.width = width;
      canvas.height = height;
    }
    this.camera.width = width;
    this.camera.height = height;
    this.drawn = "";
  }

  // The part of the plane to show: all of a finite one, or where the robots are.
  bounds(map: MapTable, swarm: Swarm, now: number): Window {
    const bounds = boundsOf(map);
    if (bounds !== null) return bounds;
    const window = { left: Infinity, bottom: Infinity, right: -Infinity, top: -Infinity };
    for (const body of swarm.bodies.values()) {
      const { x, y } = poseAt(body.piece, now, this.pose);
      window.left = Math.min(window.left, x - 3 * body.radius);
      window.bottom = Math.min(window.bottom, y - 3 * body.radius);
      window.right = Math.max(window.right, x + 3 * body.radius);
      window.top = Math.max(window.top, y + 3 * body.radius);
    }
    return window.left < window.right ? window : { left: -1, bottom: -1, right: 1, top: 1 };
  }

  draw(map: MapTable, swarm: Swarm, shown: Shown, layers: Layers, palette: Palette): void {
    const camera = this.camera;
    const wanted = [camera.x, camera.y, camera.scale, camera.width, camera.height, palette.plane, swarm.changes, layers.grid].join();
    if (wanted !== this.drawn || map !== this.map) {
      drawScenery(this.ground, camera, map, obstaclesOf(map, swarm.came, swarm.left).values(), palette, layers.grid ? shown.ratio : null);
      this.drawn = wanted;
      this.map = map;
    }
    drawUnderlay({ context: this.below, camera, swarm, shown, palette }, layers);
    this.drawRobots(swarm, shown, palette, layers.teams && shown.groups.hasTeams ? shown.groups : null, layers.colors && swarm.showings.hasColors);
    drawOverlay({ context: this.above, camera, swarm, shown, palette }, layers);
  }

  // What is done by hand lies over all else.
  drawHand(swarm: Swarm, done: Acting, tool: Tool, shown: Shown, palette: Palette): void {
    drawHand({ context: this.above, camera: this.camera, swarm, shown, palette }, done, tool);
  }

  // Lets another draw upon what was drawn.
  also({ ratio, least }: Shown, draw: (canvases: Canvases) => void): void {
    draw({ below: this.below, above: this.above, camera: this.camera, ratio, least });
  }

  redraw(): void {
    this.drawn = "";
  }

  // A robot has the colour of what it shows, or with teams that of its own; one that rests is paler.
  private drawRobots(swarm: Swarm, { now, least, ratio }: Shown, palette: Palette, teams: Groups | null, colors: boolean): void {
    const { courses, crowds, showings } = swarm;
    const { robots, camera, painted } = this;
    const { repaints } = showings;
    if (painted.crowds !== crowds || painted.repaints !== repaints || painted.palette !== palette || painted.teams !== teams || painted.colors !== colors) {
      this.painted = { crowds, repaints, palette, teams, colors };
      courses.take([...swarm.bodies.values()].filter(({ shape }) => shape.kind === "disc"));
      robots.begin(courses.goers.length);
    }
    const moving = rgb(palette.moving);
    const resting = rgb(palette.resting);
    courses.at(now, camera.middle, robots.values, FLOATS, (body, slot) => {
      const goes = isMoving(body.piece, now);
      const color = (colors ? showings.colorOf(body.number) : null) ?? teams?.colorOf(body.number) ?? null;
      if (color === null) robots.paint(slot, body.radius, goes ? moving : resting, 1);
      else robots.paint(slot, body.radius, color, goes ? 1 : 0.6);
    });
    robots.draw(camera, { least, ratio }, rgb(palette.plane));
  }
}

function plain(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("this browser cannot draw the view");
  return context;
}
