// Draws all robots in one call: a square for each, in which a disc with a mark where it looks is cut out.
//
// Small ones are points, which are quick everywhere; a point of which the middle is not on the screen is not drawn, so
// large ones are instances of a square.
//
// Robots of other shapes are drawn by the layer above; their discs here are left out.

import type { Camera } from "./camera";
import { RIM } from "./palette";

const VERTEX = `
uniform vec2 middle; uniform vec2 half_size; uniform float scale; uniform float least;
layout(location = 0) in vec2 place; layout(location = 1) in float heading;
layout(location = 2) in float radius; layout(location = 3) in vec4 color;
out vec2 inside; out vec4 paint; out float pixels; flat out vec2 ahead;
void main() {
  pixels = max(radius * scale, least);
  paint = color; ahead = vec2(cos(heading), sin(heading));
  vec2 at = (place - middle) * scale;
#ifdef POINTS
  gl_PointSize = 2.0 * (pixels + 1.0);
  inside = vec2(0.0);
#else
  inside = (vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0) * (pixels + 1.0);
  at += inside;
#endif
  gl_Position = vec4(at / half_size, 0.0, 1.0);
}`;

const FRAGMENT = `
precision highp float;
in vec2 inside; in vec4 paint; in float pixels; flat in vec2 ahead; out vec4 result;
void main() {
#ifdef POINTS
  vec2 spot = (gl_PointCoord * 2.0 - 1.0) * vec2(1.0, -1.0) * (pixels + 1.0);
#else
  vec2 spot = inside;
#endif
  float distance = length(spot);
  float cover = clamp(pixels - distance + 0.5, 0.0, 1.0);
  if (cover <= 0.0) discard;
  vec3 tone = paint.rgb;
  if (pixels > 3.5) {
    float along = dot(spot, ahead);
    float aside = abs(dot(spot, vec2(-ahead.y, ahead.x)));
    float width = max(pixels * 0.1, 0.75);
    float mark = clamp(width - aside + 0.5, 0.0, 1.0) * step(0.0, along);
    float rim = smoothstep(pixels - max(pixels * 0.14, 1.0) - 0.7, pixels - max(pixels * 0.14, 1.0) + 0.7, distance);
    vec3 ink = dot(tone, vec3(0.299, 0.587, 0.114)) > 0.5 ? vec3(0.141, 0.161, 0.184) : vec3(1.0);
    tone = mix(tone, tone * ${RIM}, max(rim, 0.0));
    tone = mix(tone, ink, mark * 0.95);
  }
  result = vec4(tone * cover * paint.a, cover * paint.a);
}`;

const LARGEST_POINT = 48; // pixels across
const FLOATS = 8; // x, y, heading, radius, red, green, blue, alpha

export class RobotsLayer {
  values = new Float32Array(FLOATS * 1024);
  count = 0;
  private readonly gl: WebGL2RenderingContext;
  private readonly points: WebGLProgram;
  private readonly squares: WebGLProgram;
  private readonly buffer: WebGLBuffer;
  private largest = 0;
  private room = 0;
  private originX = 0;
  private originY = 0;

  constructor(canvas: HTMLCanvasElement) {
    const gl = canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true, alpha: true });
    if (gl === null) throw new Error("this browser has no WebGL 2, which the view needs");
    this.gl = gl;
    this.points = program(gl, "#define POINTS");
    this.squares = program(gl, "");
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

  // Begins a frame; places are kept as differences to the middle of the screen, which 32 bits can tell far from 0.
  begin(camera: Camera, most: number): void {
    if (this.values.length < most * FLOATS) this.values = new Float32Array(FLOATS * Math.ceil(most * 1.5));
    this.count = 0;
    this.largest = 0;
    [this.originX, this.originY] = camera.middle;
  }

  add(x: number, y: number, heading: number, radius: number, color: readonly [number, number, number], alpha: number): void {
    const at = this.count * FLOATS;
    const values = this.values;
    values[at] = x - this.originX;
    values[at + 1] = y - this.originY;
    values[at + 2] = heading;
    values[at + 3] = radius;
    values[at + 4] = color[0];
    values[at + 5] = color[1];
    values[at + 6] = color[2];
    values[at + 7] = alpha;
    this.count += 1;
    if (radius > this.largest) this.largest = radius;
  }

  draw(camera: Camera): void {
    const gl = this.gl;
    gl.viewport(0, 0, camera.width, camera.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (this.count === 0) return;
    const arePoints = 2 * this.largest * camera.scale < LARGEST_POINT;
    const used = arePoints ? this.points : this.squares;
    gl.useProgram(used);
    const uniform = (name: string): WebGLUniformLocation | null => gl.getUniformLocation(used, name);
    gl.uniform2f(uniform("middle"), 0, 0);
    gl.uniform2f(uniform("half_size"), camera.width / 2, camera.height / 2);
    gl.uniform1f(uniform("scale"), camera.scale);
    gl.uniform1f(uniform("least"), 1.5);
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
