// Draws all robots in one call: a square for each, in which a disc with a mark where it looks is cut out.
//
// Small ones are points, which are quick everywhere; a point of which the middle is not on the screen is not drawn, so
// large ones are instances of a square.
//
// Robots of other shapes are drawn by the layer above; their discs here are left out.

import type { Camera } from "./camera";
import { RIM } from "./palette";

const VERTEX = `
uniform vec2 half_size; uniform float scale; uniform float least; uniform float halo;
layout(location = 0) in vec2 place; layout(location = 1) in float heading;
layout(location = 2) in float radius; layout(location = 3) in vec4 color;
out vec2 inside; out vec4 paint; out float pixels; flat out vec2 ahead;
void main() {
  pixels = max(radius * scale, least);
  paint = color; ahead = vec2(cos(heading), sin(heading));
  vec2 at = place * scale;
#ifdef POINTS
  gl_PointSize = 2.0 * (pixels + halo + 1.0);
  inside = vec2(0.0);
#else
  inside = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * (pixels + halo + 1.0);
  at += inside;
#endif
  gl_Position = vec4(at / half_size, 0.0, 1.0);
}`;

const FRAGMENT = `
precision highp float;
uniform float halo; uniform vec3 ground;
in vec2 inside; in vec4 paint; in float pixels; flat in vec2 ahead; out vec4 result;
void main() {
#ifdef POINTS
  vec2 spot = (gl_PointCoord * 2.0 - 1.0) * vec2(1.0, -1.0) * (pixels + halo + 1.0);
#else
  vec2 spot = inside;
#endif
  float distance = length(spot);
  float cover = clamp(pixels - distance + 0.5, 0.0, 1.0);
  float around = clamp(pixels + halo - distance + 0.5, 0.0, 1.0);
  if (around <= 0.0) discard;
  vec3 tone = paint.rgb;
  if (pixels > 3.5) {
    float along = dot(spot, ahead);
    float aside = abs(dot(spot, vec2(-ahead.y, ahead.x)));
    float width = max(pixels * 0.1, 1.0);
    float mark = clamp(width - aside + 0.5, 0.0, 1.0) * step(0.0, along);
    float rim = smoothstep(pixels - max(pixels * 0.14, 1.0) - 0.7, pixels - max(pixels * 0.14, 1.0) + 0.7, distance);
    vec3 ink = dot(tone, vec3(0.299, 0.587, 0.114)) > 0.5 ? vec3(0.141, 0.161, 0.184) : vec3(1.0);
    tone = mix(tone, tone * ${RIM}, max(rim, 0.0));
    tone = mix(tone, ink, mark * 0.95);
  }
  float body = cover * paint.a;
  float clear = around * (1.0 - body);
  result = vec4(tone * body + ground * clear, body + clear);
}`;

const HALO = 1.5; // pixels of the page around a robot
const LARGE = 3; // and of the least radius from which on there is room for it
const LARGEST_POINT = 48; // pixels across
export const FLOATS = 8; // x, y, heading, radius, red, green, blue, alpha

export class RobotsLayer {
  values = new Float32Array(FLOATS * 1024);
  count = 0;
  private readonly gl: WebGL2RenderingContext;
  private readonly points: Drawing;
  private readonly squares: Drawing;
  private readonly buffer: WebGLBuffer;
  private largest = 0;
  private room = 0;

  constructor(canvas: HTMLCanvasElement) {
    const gl = canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true, alpha: true });
    if (gl === null) throw new Error("this browser has no WebGL 2, which the view needs");
    this.gl = gl;
    this.points = drawing(gl, "#define POINTS");
    this.squares = drawing(gl, "");
    this.buffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    const stride = FLOATS * 4;
    for (const [index, size, offset] of [[0, 2, 0], [1, 1, 8], [2, 1, 12], [3, 4, 16]] as const) {
      gl.enableVertexAttribArray(index);
      gl.vertexAttribPointer(index, size, gl.FLOAT, false, stride, offset);
    }
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  // Has so many robots from now on, each of which is to be painted and placed. A place is the difference to the middle of the screen, which
  // 32 bits can tell far from 0; `values` begins with x, y and the heading of each, `FLOATS` numbers apart.
  begin(count: number): void {
    if (this.values.length < count * FLOATS) this.values = new Float32Array(FLOATS * Math.ceil(count * 1.5));
    this.count = count;
    this.largest = 0;
  }

  paint(slot: number, radius: number, color: readonly [number, number, number], alpha: number): void {
    const at = slot * FLOATS;
    const values = this.values;
    values[at + 3] = radius;
    values[at + 4] = color[0];
    values[at + 5] = color[1];
    values[at + 6] = color[2];
    values[at + 7] = alpha;
    if (radius > this.largest) this.largest = radius;
  }

  // Draws all, each with a radius of `least` pixels at least; where that leaves room, an edge in the colour of the ground parts it from lines.
  draw(camera: Camera, { least, ratio }: { least: number; ratio: number }, ground: readonly [number, number, number]): void {
    const gl = this.gl;
    gl.viewport(0, 0, camera.width, camera.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (this.count === 0) return;
    const arePoints = 2 * this.largest * camera.scale < LARGEST_POINT;
    const used = arePoints ? this.points : this.squares;
    gl.useProgram(used.program);
    gl.uniform2f(used.halfSize, camera.width / 2, camera.height / 2);
    gl.uniform1f(used.scale, camera.scale);
    gl.uniform1f(used.least, least);
    gl.uniform1f(used.halo, least > LARGE * ratio ? HALO * ratio : 0);
    gl.uniform3f(used.ground, ...ground);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    if (this.room !== this.values.length) {
      gl.bufferData(gl.ARRAY_BUFFER, this.values.byteLength, gl.STREAM_DRAW);
      this.room = this.values.length;
    }
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, this.values, 0, this.count * FLOATS);
    for (let index = 0; index < 4; index += 1) gl.vertexAttribDivisor(index, arePoints ? 0 : 1);
    if (arePoints) gl.drawArrays(gl.POINTS, 0, this.count);
    else gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.count);
  }
}

interface Drawing {
  program: WebGLProgram;
  halfSize: WebGLUniformLocation | null;
  scale: WebGLUniformLocation | null;
  least: WebGLUniformLocation | null;
  halo: WebGLUniformLocation | null;
  ground: WebGLUniformLocation | null;
}

function drawing(gl: WebGL2RenderingContext, define: string): Drawing {
  const made = program(gl, define);
  const uniform = (name: string): WebGLUniformLocation | null => gl.getUniformLocation(made, name);
  return { program: made, halfSize: uniform("half_size"), scale: uniform("scale"), least: uniform("least"), halo: uniform("halo"), ground: uniform("ground") };
}

function program(gl: WebGL2RenderingContext, define: string): WebGLProgram {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]] as const) {
    const shader = gl.createShader(kind);
    if (shader === null) throw new Error("this browser cannot draw the view");
    gl.shaderSource(shader, `#version 300 es\n${define}\n${text}`);
    gl.compileShader(shader);
    if (gl.getShaderParameter(shader, gl.COMPILE_STATUS) !== true)
      throw new Error(`this browser cannot draw the view: ${gl.getShaderInfoLog(shader) ?? ""}`);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  return made;
}
