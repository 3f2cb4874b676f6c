// Live plots: what programs show, how much happens, how often robots touch, how fast a live run goes.

import uPlot from "uplot";
import { css, html, LitElement, unsafeCSS, type TemplateResult } from "lit";
import { customElement, property, query } from "lit/decorators.js";
import uplotStyle from "uplot/dist/uPlot.min.css";
import "./shown_plots";
import { Counts } from "../run/counts";
import { readPalette } from "../draw/palette";
import type { Session } from "../session";
import { controls } from "./styles";

const SLOWLY = 500; // milliseconds between two looks
const HEIGHT = 150;

@customElement("kumi-plots")
export class Plots extends LitElement {
  @property({ attribute: false }) session!: Session;
  @property({ type: Number }) tick = 0;
  @query("div") private room!: HTMLDivElement;
  private plots: uPlot[] = [];
  private counts = new Counts();
  private counted: string | undefined; // the run whose chunks are counted
  private looked = 0;
  private made = "";

  static override styles = [unsafeCSS(uplotStyle), controls, css`
    :host { padding: 8px 10px; overflow: auto; }
    .u-title { font-size: 13px; font-weight: 600; text-align: left; }
  `];

  protected override render(): TemplateResult {
    return html`<kumi-shown-plots .session=${this.session} .tick=${this.tick}></kumi-shown-plots><div role="img" aria-label="Plots: events a second, contacts a second, pace of a live run"></div>
      <p class="quiet">Seconds are those of the run.</p>`;
  }

  protected override updated(): void {
    const now = performance.now();
    const palette = readPalette();
    const wanted = `${this.clientWidth} ${palette.text} ${String(this.session.meta?.id)}`;
    if (this.session.meta?.id !== this.counted) {
      this.counts = new Counts();
      this.counted = this.session.meta?.id;
    }
    if (wanted !== this.made) this.make(palette.text, palette.faint, palette.moving, wanted);
    else if (now - this.looked < SLOWLY) return;
    this.looked = now;
    this.counts.take(this.session.timeline, this.session.end);
    const { times, events, contacts } = this.counts.rates();
    const clocks = this.session.clocks;
    const pace = clocks.map((clock, number) => {
      const before = clocks[Math.max(number - 15, 0)] ?? clock;
      return clock.stamp > before.stamp ? (clock.time - before.time) / (clock.stamp - before.stamp) : null;
    });
    this.plots[0]?.setData([times, events]);
    this.plots[1]?.setData([times, contacts]);
    this.plots[2]?.setData([clocks.map((clock) => clock.time), pace]);
  }

  private make(text: string, faint: string, color: string, wanted: string): void {
    this.made = wanted;
    for (const plot of this.plots) plot.destroy();
    const titles = ["events a second", "contacts a second", ...(this.session.meta?.isLive === true ? ["pace: seconds of the run a second"] : [])];
    const axis = { stroke: text, grid: { stroke: faint, width: 0.5 }, ticks: { stroke: faint, width: 0.5 } };
    this.plots = titles.map((title) => new uPlot({
      title, width: Math.max(this.clientWidth - 24, 100), height: HEIGHT, legend: { show: false },
      scales: { x: { time: false }, y: { range: (_plot, _least, most) => [0, Math.max(most * 1.05, 1)] } },
      axes: [axis, { ...axis, size: 52 }],
      series: [{}, { stroke: color, width: 1.5, points: { show: false } }],
    }, [[], []], this.room));
  }
}
