// Places that a person types: pairs of numbers in metres, such as `2, 5; 4, 6.5`.

import type { Spot } from "./actions";

export const HOW = "Places are pairs of numbers in metres, such as 2, 5; 4, 6.5.";

// The places of a text; null where it is none.
export function readPlaces(text: string): Spot[] | null {
  const words = text.split(/[\s,;()]+/).filter((word) => word !== "");
  const numbers = words.map(Number);
  if (numbers.length === 0 || numbers.length % 2 === 1 || !numbers.every(Number.isFinite)) return null;
  return Array.from({ length: numbers.length / 2 }, (_, at) => ({ x: numbers[2 * at] ?? 0, y: numbers[2 * at + 1] ?? 0 }));
}

// What was typed into a form of one field.
export function typed(event: SubmitEvent): string {
  event.preventDefault();
  return (event.target as HTMLFormElement).querySelector("input")?.value ?? "";
}
