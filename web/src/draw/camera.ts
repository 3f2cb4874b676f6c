// Which part of the plane is on the screen? Pixels are those of the device, counted from the upper left corner.

export interface Window {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

export interface Tile {
  column: number;
  row: number;
  columns: number;
  rows: number;
}

// `?tile=2,1/4x2`: the third column and second row, counted from 0 at the upper left, of a wall of 4 by 2 screens.
export function readTile(text: string | null): Tile | null {
  const match = /^(\d+),(\d+)\/(\d+)x(\d+)$/.exec(text ?? "");
  if (match === null) return null;
  const [column, row, columns, rows] = match.slice(1).map(Number) as [number, number, number, number];
  return column < columns && row < rows ? { column, row, columns, rows } : null;
}

// Why what is asked for is no tile; nothing where it is one, or none is asked for.
export function tileComplaint(text: string | null): string {
  if (text === null || readTile(text) !== null) return "";
  const size = /\/([1-9]\d*)x([1-9]\d*)$/.exec(text);
  const [columns, rows] = [Number(size?.[1] ?? 4), Number(size?.[2] ?? 2)];
  const how = `A tile of ${columns} by ${rows} screens is one from 0,0/${columns}x${rows} to ${columns - 1},${rows - 1}/${columns}x${rows}`;
  return `?tile=${text} is no tile. ${how}: column and row from the upper left, and columns x rows of the wall.`;
}

export class Camera {
  x = 0;
  y = 0;
  scale = 100; // pixels a metre
  width = 1;
  height = 1;
  tile: Tile | null = null;

  fit(window: Window, margin = 0.05): void {
    const [columns, rows] = this.tile === null ? [1, 1] : [this.tile.columns, this.tile.rows];
    const width = Math.max(window.right - window.left, 1e-9);
    const height = Math.max(window.top - window.bottom, 1e-9);
    this.scale = Math.min((this.width * columns) / width, (this.height * rows) / height) * (1 - 2 * margin);
    this.x = (window.left + window.right) / 2;
    this.y = (window.bottom + window.top) / 2;
  }

  // The middle of this screen on the plane; on a wall of screens it is not the middle of the picture.
  get middle(): [number, number] {
    if (this.tile === null) return [this.x, this.y];
    const across = this.tile.column - (this.tile.columns - 1) / 2;
    const down = this.tile.row - (this.tile.rows - 1) / 2;
    return [this.x + (across * this.width) / this.scale, this.y - (down * this.height) / this.scale];
  }

  toScreen(x: number, y: number): [number, number] {
    const [mx, my] = this.middle;
    return [this.width / 2 + (x - mx) * this.scale, this.height / 2 - (y - my) * this.scale];
  }

  toPlane(px: number, py: number): [number, number] {
    const [mx, my] = this.middle;
    return [mx + (px - this.width / 2) / this.scale, my - (py - this.height / 2) / this.scale];
  }

  pan(dx: number, dy: number): void {
    this.x -= dx / this.scale;
    this.y += dy / this.scale;
  }

  // Zooms so that what is under the pixel stays there.
  zoom(factor: number, px: number, py: number): void {
    const [x, y] = this.toPlane(px, py);
    this.scale = Math.min(Math.max(this.scale * factor, 1e-6), 1e6);
    const [nx, ny] = this.toPlane(px, py);
    this.x += x - nx;
    this.y += y - ny;
  }
}
