// The results of a study as the server tells them, and what a plot of them shows.

export type Value = number | string;

export interface StudyRun {
  row: number;
  seed: number;
  parameters: Record<string, Value>;
  metrics: Record<string, Value | boolean | null>;
  censored: Record<string, number>; // when the run ended, for times that had not come by then
  outcome: string;
  hash: string | null;
  took: number | null; // seconds on the wall
}

export interface Mean {
  mean: number | null;
  low: number | null; // null where there is no bound
  high: number | null;
  count: number;
  came: string | null; // of a time that may not come: in how many runs it did, and the median
}

export interface StudyPoint {
  parameters: Record<string, Value>;
  runs: number;
  failed: number;
  means: Record<string, Mean>;
}

export interface StudyResults {
  name: string;
  varied: string[];
  levels: Record<string, Value[]>; // values that were asked for, by parameter
  metrics: Record<string, { unit: string; about: string; upTo: number | null }>; // the horizon of a restricted mean
  level: number;
  runs: StudyRun[];
  points: StudyPoint[];
}

export const FINISHED = "finished";

// One combination of values in a plot, and its runs.
export interface Mark {
  x: Value;
  series: string; // the values of all other parameters that vary
  mean: Mean;
  runs: { row: number; value: number; isCensored: boolean }[];
  words: string;
}

export function marksOf(results: StudyResults, metric: string, over: string): Mark[] {
  const runs = new Map<string, StudyRun[]>();
  for (const run of results.runs) {
    const key = keyOf(results, run.parameters);
    runs.set(key, [...(runs.get(key) ?? []), run]);
  }
  return results.points.flatMap((point) => {
    const mean = point.means[metric];
    const x = point.parameters[over] ?? "all";
    if (mean?.mean == null) return [];
    const own = (runs.get(keyOf(results, point.parameters)) ?? []).flatMap(({ row, metrics, censored, outcome }) => {
      const isCensored = censored[metric] !== undefined;
      const value = isCensored ? censored[metric] : metrics[metric];
      return typeof value === "number" && outcome === FINISHED ? [{ row, value, isCensored }] : [];
    });
    const others = results.varied.filter((name) => name !== over);
    const series = others.map((name) => `${name} = ${String(point.parameters[name])}`).join(", ");
    const bounds = mean.low === null || mean.high === null ? "" : `, ${100 * results.level} % from ${brief(mean.low)} to ${brief(mean.high)}`;
    const where = results.varied.map((name) => `${name} = ${String(point.parameters[name])}`).join(", ");
    return [{ x, series, mean, runs: own, words: `${where}: ${titleOf(results, metric)} ${brief(mean.mean)}${bounds}, ${mean.came ?? `${mean.count} runs`}` }];
  });
}

// The name of a metric; a time that may not come stands for its restricted mean.
export function titleOf(results: StudyResults, metric: string): string {
  const upTo = results.metrics[metric]?.upTo ?? null;
  return upTo === null ? metric : `${metric} (mean up to ${brief(upTo)})`;
}

// The values of a parameter: those that were asked for, and others that runs have.
export function levelsOf(results: StudyResults, over: string, marks: readonly Mark[]): Value[] {
  return [...new Set([...(results.levels[over] ?? []), ...marks.map(({ x }) => x)])];
}

// The run that comes nearest to the mean.
export function typicalRun(mark: Mark): number | null {
  const mean = mark.mean.mean ?? NaN;
  let found: number | null = null;
  let least = Infinity;
  for (const { row, value } of mark.runs) {
    if (Math.abs(value - mean) >= least) continue;
    least = Math.abs(value - mean);
    found = row;
  }
  return found;
}

// Runs that fit some words, in the order of a column.
export function chosenRuns(results: StudyResults, words: string, column: string, isDown: boolean): StudyRun[] {
  const wanted = words.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const fits = (run: StudyRun): boolean => {
    const text = [run.row, run.seed, run.outcome, ...Object.entries({ ...run.parameters, ...run.metrics }).map(([name, value]) => `${name}=${String(value)}`)]
      .join(" ").toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  const sign = isDown ? -1 : 1;
  return results.runs.filter(fits).sort((one, other) => sign * compared(cellOf(one, column), cellOf(other, column)) || one.row - other.row);
}

export function cellOf(run: StudyRun, column: string): Value | boolean | null {
  if (column === "row") return run.row;
  if (column === "seed") return run.seed;
  if (column === "outcome") return run.outcome;
  const end = run.censored[column];
  return run.parameters[column] ?? run.metrics[column] ?? (end === undefined ? null : `> ${brief(end)}`);
}

// What is missing comes last.
function compared(one: Value | boolean | null, other: Value | boolean | null): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  if (typeof one === "number" && typeof other === "number") return one - other;
  return String(one).localeCompare(String(other));
}

export function brief(value: Value | boolean | null): string {
  if (value === null) return "–";
  return typeof value === "number" ? String(Number(value.toPrecision(5))) : String(value);
}

// Round numbers that divide a span into about so many parts.
export function ticks(least: number, most: number, about: number): number[] {
  const rough = Math.max(most - least, 1e-300) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const found: number[] = [];
  for (let number = Math.ceil(least / step - 1e-9); number * step <= most + step * 1e-9; number += 1) found.push(number * step);
  return found;
}

function keyOf(results: StudyResults, parameters: Record<string, Value>): string {
  return JSON.stringify(results.varied.map((name) => parameters[name]));
}
