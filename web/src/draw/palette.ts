// The colours of the page, as its style sheet has them now. They come from the file that pictures without a browser read, too.

import shared from "../../../src/kumi/recording/palette.json";

export const RIM: number = shared.rim; // how dark the rim of a robot is, of its own colour
export const TEAMS: readonly string[] = shared.teams;
export const WORD_COLORS = shared.words.length + shared.types.length; // how many words can be told apart

// How obstacles of a material are drawn: fill, edge, and the dashes of the edge. What is clear lets light pass.
export interface Coat {
  fill: string;
  edge: string;
  dash: readonly number[];
  isClear: boolean;
}

interface SharedCoat {
  light: string[];
  dark: string[];
  dash?: number[];
  is_clear?: boolean;
}

const COATS: Readonly<Record<string, SharedCoat | undefined>> = shared.materials;

// The coat of a known material in the present theme, or null.
export function coatOf(material: string): Coat | null {
  const coat = COATS[material];
  if (coat === undefined) return null;
  const [fill = "", edge = ""] = coat[presentTheme()];
  return { fill, edge, dash: coat.dash ?? [], isClear: isClear(material) };
}

export function isClear(material: string): boolean {
  return COATS[material]?.is_clear ?? false;
}

export interface Palette {
  ground: string;
  plane: string;
  border: string;
  obstacle: string;
  slow: string;
  slowEdge: string;
  hole: string;
  forbidden: string;
  forbiddenEdge: string;
  text: string;
  faint: string;
  grid: string;
  trail: string;
  way: string;
  moving: string;
  resting: string;
  contact: string;
  reserved: string;
  reservedEdge: string;
  asked: string;
  askedEdge: string;
  believedFree: string;
  believedTaken: string;
  path: string;
  mark: string;
  accent: string;
}

const NAMES = [
  "ground", "plane", "border", "obstacle", "slow", "slowEdge", "hole", "forbidden", "forbiddenEdge", "text", "faint", "grid", "trail",
  "way", "moving", "resting", "contact", "accent", "reserved", "reservedEdge", "asked", "askedEdge",
  "believedFree", "believedTaken", "path", "mark",
] as const;

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(`--${name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)}`);
  return Object.fromEntries(NAMES.map((name) => [name, value(name).trim()])) as unknown as Palette;
}

export function rgb(color: string): [number, number, number] {
  const value = parseInt(color.slice(1), 16);
  return [((value >> 16) & 255) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

// The colour at a share of the way from the first colour of the ramp to the last.
export function onRamp(share: number): string {
  const place = Math.min(Math.max(share, 0), 1) * (shared.ramp.length - 1);
  const first = Math.min(Math.floor(place), shared.ramp.length - 2);
  const [one, other] = [rgb(shared.ramp[first] ?? "#000000"), rgb(shared.ramp[first + 1] ?? "#000000")];
  const mixed = one.map((part, at) => Math.round(255 * (part + ((other[at] ?? 0) - part) * (place - first))));
  return `#${mixed.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

// A type of message has a colour found from its name; where another type has it already, the next that is free.
export class TypeColors {
  protected readonly turns: readonly (readonly string[])[] = [shared.types, shared.words]; // those that are taken first, and the others
  private readonly known = new Map<string, string>();

  of(type: string): string {
    let color = this.known.get(type);
    if (color === undefined) this.known.set(type, (color = this.choose(type)));
    return color;
  }

  get seen(): [string, string][] {
    return [...this.known];
  }

  private choose(type: string): string {
    const taken = new Set(this.known.values());
    let number = 0;
    for (const byte of new TextEncoder().encode(type)) number = (31 * number + byte) % 2 ** 32;
    const turn = this.turns.flatMap((colors) => turned(colors, number));
    return turn.find((color) => !taken.has(color)) ?? turn[0] ?? "";
  }
}

// A word that robots show has a colour in the same way, of those first that nobody takes for one another.
export class WordColors extends TypeColors {
  protected override readonly turns = [shared.words, shared.types];
}

function turned(colors: readonly string[], number: number): string[] {
  const at = number % colors.length;
  return [...colors.slice(at), ...colors.slice(0, at)];
}

// The same in the map and in the diagram.
export const typeColors = new TypeColors();

export type Theme = "light" | "dark";

export function presentTheme(): Theme {
  const chosen = document.documentElement.dataset["theme"];
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

// Takes a theme, and remembers it for the next time.
export function takeTheme(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
  try {
    localStorage.setItem("kumi-theme", theme);
  } catch {
    // A browser that keeps nothing still shows it.
  }
}

export function rememberedTheme(): void {
  try {
    const theme = localStorage.getItem("kumi-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  } catch {
    // A browser that keeps nothing follows the machine.
  }
}
