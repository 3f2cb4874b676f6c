// Draws what is done by hand: robots that are held, the tool with the places so far, and where contacts will be.

import type { Acting, Spot } from "../actions/actions";
import { poseAt, type Pose } from "../run/motion";
import type { Brush } from "./overlay";
import { drawnRadius } from "./sizes";
import type { Tool } from "../actions/tool";

const HERE: Pose = { x: 0, y: 0, heading: 0 };
const CROSS = 6; // pixels

export function drawHand(brush: Brush, done: Acting, tool: Tool): void {
  drawHeld(brush, done.held);
  for (const warning of done.warnings) drawCross(brush, warning.at);
  if (tool.kind !== null) drawTool(brush, tool);
}

function drawHeld({ context, camera, swarm, shown, palette }: Brush, held: Readonly<Record<string, number>>): void {
  context.strokeStyle = palette.accent;
  context.lineWidth = 2.5 * shown.ratio;
  context.setLineDash([]);
  for (const number of Object.keys(held)) {
    const body = swarm.bodies.get(Number(number));
    if (body === undefined) continue;
    poseAt(body.piece, shown.now, HERE);
    const [x, y] = camera.toScreen(HERE.x, HERE.y);
    const reach = drawnRadius(body, camera, shown.least) + 4 * shown.ratio;
    context.beginPath();
    for (const turn of [0.125, 0.375, 0.625, 0.875]) {
      const middle = 2 * Math.PI * turn;
      context.moveTo(x + reach * Math.cos(middle - 0.4), y + reach * Math.sin(middle - 0.4));
      context.arc(x, y, reach, middle - 0.4, middle + 0.4);
    }
    context.stroke();
  }
}

function drawCross({ context, camera, shown, palette }: Brush, at: Spot): void {
  const [x, y] = camera.toScreen(at.x, at.y);
  const size = CROSS * shown.ratio;
  context.strokeStyle = palette.contact;
  context.lineWidth = 2 * shown.ratio;
  context.beginPath();
  context.moveTo(x - size, y - size);
  context.lineTo(x + size, y + size);
  context.moveTo(x - size, y + size);
  context.lineTo(x + size, y - size);
  context.stroke();
}

function drawTool({ context, camera, swarm, shown, palette }: Brush, tool: Tool): void {
  const body = shown.chosen === null || tool.needsRobot(shown.chosen) ? undefined : swarm.bodies.get(shown.chosen);
  const isFromRobot = body !== undefined && (tool.kind === "goTo" || tool.kind === "followPath" || tool.kind === "examineArea");
  const places: Spot[] = [...tool.places];
  if (tool.pointer !== null && tool.kind !== "removeWall" && !tool.needsRobot(shown.chosen)) places.push(tool.pointer);
  if (isFromRobot) {
    const { x, y } = poseAt(body.piece, shown.now, HERE);
    places.unshift({ x, y });
  }
  context.strokeStyle = context.fillStyle = palette.accent;
  context.lineWidth = (tool.kind === "drawWall" ? 4 : 2) * shown.ratio;
  context.setLineDash(tool.kind === "drawWall" ? [] : [6 * shown.ratio, 4 * shown.ratio]);
  context.beginPath();
  for (const place of places) context.lineTo(...camera.toScreen(place.x, place.y));
  context.stroke();
  context.setLineDash([]);
  for (const place of isFromRobot ? places.slice(1) : places) {
    context.beginPath();
    context.arc(...camera.toScreen(place.x, place.y), 4 * shown.ratio, 0, 2 * Math.PI);
    context.fill();
  }
}
