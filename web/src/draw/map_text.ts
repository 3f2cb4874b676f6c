// The text of a map file, from the table that a map is: TOML, one obstacle a line.

import type { MapTable } from "./scenery";

export function mapText(map: MapTable): string {
  const lines = Object.entries(map).map(([name, value]: [string, unknown]) => {
    const isList = Array.isArray(value) && value.some((one) => typeof one === "object" && !Array.isArray(one));
    return `${name} = ${isList ? `[\n${(value as unknown[]).map((one) => `  ${written(one)},\n`).join("")}]` : written(value)}`;
  });
  return `[map]\n${lines.join("\n")}\n`;
}

function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value).map(([name, one]) => `${name} = ${written(one)}`).join(", ")} }`;
}
