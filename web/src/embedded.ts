// A run that is in the page itself, as in a notebook: there is no server to ask.

import { unpacked } from "./run/chunk";
import type { Meta } from "./connection";

interface Embedded {
  run: Meta;
  chunks: (string | { error: string })[]; // as they stand in the run file
}

let found: Embedded | null | undefined;

function embedded(): Embedded | null {
  if (found === undefined) {
    const text = document.getElementById("kumi-run")?.textContent ?? null;
    found = text === null ? null : (JSON.parse(text) as Embedded);
  }
  return found;
}

export function embeddedRun(): Meta | null {
  return embedded()?.run ?? null;
}

export async function embeddedChunk(number: number): Promise<Uint8Array> {
  const chunk = embedded()?.chunks[number];
  if (typeof chunk !== "string") throw new Error(chunk?.error ?? "There is no such chunk.");
  return unpacked(Uint8Array.from(atob(chunk), (letter) => letter.charCodeAt(0)));
}
