// The colours of the page, as its style sheet has them now.

export interface Palette {
  ground: string;
  plane: string;
  border: string;
  obstacle: string;
  slow: string;
  hole: string;
  forbidden: string;
  text: string;
  faint: string;
  trail: string;
  moving: string;
  resting: string;
  contact: string;
  accent: string;
}

const NAMES = [
  "ground", "plane", "border", "obstacle", "slow", "hole", "forbidden", "text", "faint", "trail", "moving", "resting",
  "contact", "accent",
] as const;

export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()])) as unknown as Palette;
}

export function rgb(color: string): [number, number, number] {
  const value = parseInt(color.slice(1), 16);
  return [((value >> 16) & 255) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
}

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
