// A metric over a parameter: the mean of each combination with its interval, and every run as a dot. A click chooses a run.

import { css, html, LitElement, nothing, svg, type SVGTemplateResult, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { TEAMS } from "../draw/palette";
import { brief, levelsOf, marksOf, ticks, titleOf, typicalRun, type Mark, type StudyResults } from "./results";
import { controls } from "../panels/styles";

const WIDTH = 720;
const HEIGHT = 340;
const LEFT = 68;
const RIGHT = 18;
const TOP = 14;
const BOTTOM = 46;
const MOST_DOTS = 3000;

@customElement("kumi-study-plot")
export class StudyPlot extends LitElement {
  @property({ attribute: false }) results!: StudyResults;
  @property() metric = "";
  @property() over = "";
  @property({ attribute: false }) chosen: number | null = null;

  static override styles = [controls, css`
    :host { display: block; }
    svg { width: 100%; max-width: 980px; display: block; font-size: 12px; }
    text { fill: var(--text); } .grid { stroke: var(--line); } .axis { stroke: var(--quiet); }
    .mean, .run { cursor: pointer; } .mean:focus-visible { outline: 2px solid var(--accent); }
    .run:hover, .run.chosen { opacity: 1; stroke: var(--text); stroke-width: 1.5; }
    ul { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 4px 0 0; padding: 0 0 0 ${LEFT / 2}px; }
    .sample { display: inline-block; width: 10px; height: 10px; margin-right: 5px; }
  `];

  protected override render(): TemplateResult {
    const marks = marksOf(this.results, this.metric, this.over);
    if (marks.length === 0) return html`<p class="quiet">No run has a number for ${this.metric}.</p>`;
    const values = levelsOf(this.results, this.over, marks);
    const areNumbers = values.every((value) => typeof value === "number");
    const xs = areNumbers ? values : values.map((_, number) => number);
    const ys = marks.flatMap(({ mean, runs }) => [mean.mean, mean.low, mean.high, ...runs.map((run) => run.value)]).filter((one) => one !== null);
    const [least, most] = widened(Math.min(...ys), Math.max(...ys));
    const [first, last] = widened(Math.min(...xs), Math.max(...xs));
    const x = (value: Mark["x"]): number => {
      const at = typeof value === "number" && areNumbers ? value : values.indexOf(value);
      return LEFT + ((at - first) / (last - first)) * (WIDTH - LEFT - RIGHT);
    };
    const y = (value: number): number => HEIGHT - BOTTOM - ((value - least) / (most - least)) * (HEIGHT - TOP - BOTTOM);
    const series = [...new Set(marks.map((mark) => mark.series))];
    const colorOf = (mark: Mark): string => TEAMS[series.indexOf(mark.series) % TEAMS.length] ?? "";
    // Series beside each other, so that their intervals can be told apart.
    const aside = (mark: Mark): number => (series.indexOf(mark.series) - (series.length - 1) / 2) * Math.min(7, 60 / series.length);
    const { unit } = this.results.metrics[this.metric] ?? { unit: "" };
    const dots = marks.reduce((count, mark) => count + mark.runs.length, 0);
    return html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="group" aria-label="${this.metric} over ${this.over}">
      ${ticks(least, most, 6).map((tick) => svg`<line class="grid" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${y(tick)} y2=${y(tick)}></line>
        <text x=${LEFT - 8} y=${y(tick) + 4} text-anchor="end">${brief(tick)}</text>`)}
      ${(areNumbers && values.length > 12 ? ticks(first, last, 8) : values).map((tick) => svg`<line class="axis" x1=${x(tick)} x2=${x(tick)}
        y1=${HEIGHT - BOTTOM} y2=${HEIGHT - BOTTOM + 5}></line><text x=${x(tick)} y=${HEIGHT - BOTTOM + 18} text-anchor="middle">${brief(tick)}</text>`)}
      <line class="axis" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${HEIGHT - BOTTOM} y2=${HEIGHT - BOTTOM}></line>
      <text x=${(LEFT + WIDTH - RIGHT) / 2} y=${HEIGHT - 8} text-anchor="middle">${this.over}</text>
      <text x="14" y=${(TOP + HEIGHT - BOTTOM) / 2} text-anchor="middle" transform="rotate(-90 14 ${(TOP + HEIGHT - BOTTOM) / 2})">${titleOf(this.results, this.metric)}${unit === "" ? "" : `, ${unit}`}</text>
      ${dots > MOST_DOTS ? nothing : marks.map((mark) => mark.runs.map((run) => this.dot(run, x(mark.x) + aside(mark) + 11, y(run.value), colorOf(mark))))}
      ${marks.map((mark) => this.mean(mark, x(mark.x) + aside(mark), y, colorOf(mark)))}
    </svg>
    ${series.length < 2 ? nothing : html`<ul>${series.map((one, number) => html`<li><svg viewBox="0 0 10 10" class="sample"><circle cx="5" cy="5" r="5" fill=${TEAMS[number % TEAMS.length] ?? ""}></circle></svg>${one}</li>`)}</ul>`}`;
  }

  // A run in which a time did not come is a ring, where the run ended.
  private dot({ row, isCensored }: Mark["runs"][number], x: number, y: number, color: string): SVGTemplateResult {
    return svg`<circle class="run ${row === this.chosen ? "chosen" : ""}" data-row=${row} cx=${x} cy=${y} r="3.5" fill=${isCensored ? "none" : color}
      stroke=${isCensored ? color : "none"} pointer-events="all" opacity="0.45" @click=${() => { this.choose(row); }}><title>row ${row}${isCensored ? ", which ended without it" : ""}</title></circle>`;
  }

  private mean(mark: Mark, x: number, y: (value: number) => number, color: string): SVGTemplateResult {
    const { mean, low, high } = mark.mean;
    const act = (): void => { this.choose(typicalRun(mark)); };
    const key = (event: KeyboardEvent): void => { if (event.key === "Enter" || event.key === " ") act(); };
    return svg`<g class="mean" role="button" tabindex="0" aria-label=${mark.words} @click=${act} @keydown=${key}>
      <title>${mark.words}. A click shows the run nearest to the mean.</title>
      ${low === null || high === null ? nothing : svg`<path d="M${x} ${y(low)}V${y(high)}M${x - 5} ${y(low)}h10M${x - 5} ${y(high)}h10" stroke=${color} stroke-width="2" fill="none"></path>`}
      <circle cx=${x} cy=${y(mean ?? 0)} r="5.5" fill=${color}></circle></g>`;
  }

  private choose(row: number | null): void {
    if (row !== null) this.dispatchEvent(new CustomEvent<number>("choose", { detail: row }));
  }
}

function widened(least: number, most: number): [number, number] {
  const room = most > least ? 0.08 * (most - least) : Math.max(Math.abs(least) * 0.1, 0.5);
  return [least - room, most + room];
}
