// Plots of what programs show: one for each name, with a line a robot, or a line a word.

import uPlot from "uplot";
import { css, html, LitElement, nothing, unsafeCSS, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import uplotStyle from "uplot/dist/uPlot.min.css";
import { readPalette, WordColors } from "../draw/palette";
import { Series, type Plotted } from "../run/series";
import type { Session } from "../session";

const SLOWLY = 500; // milliseconds between two looks
const HEIGHT = 170;

@customElement("kumi-shown-plots")
export class ShownPlots extends LitElement {
  @property({ attribute: false }) session!: Session;
  @property({ type: Number }) tick = 0;
  @query("div") private room!: HTMLDivElement;
  private series = new Series();
  private of: string | undefined; // the run that is read
  private drawn = "";
  private looked = 0;
  private plots: uPlot[] = [];

  static override styles = [unsafeCSS(uplotStyle), css`
    :host { display: block; }
    .u-title { font-size: 13px; font-weight: 600; text-align: left; }
    .u-legend { font-size: 12px; text-align: left; }
  `];

  protected override render(): TemplateResult | typeof nothing {
    return html`<div role="img" aria-label="Plots of what programs show"></div>`;
  }

  protected override updated(): void {
    const now = performance.now();
    if (this.session.meta?.id !== this.of) {
      this.of = this.session.meta?.id;
      this.series = new Series();
    } else if (now - this.looked < SLOWLY) return;
    this.looked = now;
    this.series.take(this.session.timeline);
    const palette = readPalette();
    const wanted = [this.clientWidth, palette.text, this.of, this.series.count, this.series.isWhole, this.session.meta?.isLive === true ? this.session.end : 0].join();
    if (wanted === this.drawn) return;
    this.drawn = wanted;
    for (const plot of this.plots) plot.destroy();
    const nameOf = (body: number): string => this.session.meta?.robots[String(body)] ?? `robot ${body}`;
    this.plots = this.series.plots(nameOf, this.session.end).map((one) => this.made(one, palette.text, palette.faint));
  }

  private made(plotted: Plotted, text: string, faint: string): uPlot {
    const colors = new WordColors();
    const axis = { stroke: text, grid: { stroke: faint, width: 0.5 }, ticks: { stroke: faint, width: 0.5 } };
    const lines = plotted.lines.map((label) => ({
      label, stroke: colors.of(label), width: 1.5, points: { show: false }, ...steps(),
    }));
    return new uPlot({
      title: plotted.isCount ? `${plotted.name}: robots` : plotted.name, width: Math.max(this.clientWidth - 4, 100), height: HEIGHT,
      legend: { show: true, live: false }, cursor: { show: false }, scales: { x: { time: false } },
      axes: [axis, { ...axis, size: 52 }], series: [{}, ...lines],
    }, [plotted.times, ...plotted.values], this.room);
  }
}

// A value stands until the next one.
function steps(): { paths?: uPlot.Series.PathBuilder } {
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  return stepped === undefined ? {} : { paths: stepped };
}
