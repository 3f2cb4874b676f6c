// The results of a study: plots, the table of runs, and beside them the run that was chosen, run again to be looked at.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, state } from "lit/decorators.js";
import "./study/plot";
import "./study/table";
import { THEME } from "./panels/icons";
import { presentTheme, rememberedTheme, takeTheme } from "./draw/palette";
import { brief, type StudyResults, type StudyRun } from "./study/results";
import { controls } from "./panels/styles";
import { clockText } from "./panels/time_bar";

const OFTEN = 250; // milliseconds between two questions of how far a run has got

interface Running {
  state: "running";
  time: number | null; // of the run
  elapsed: number; // seconds on the wall
  took: number | null; // when it was measured
}

type Replay =
  | Running
  | { state: "ready"; isSame: boolean; hash: string | null; sentence: string }
  | { state: "failed"; sentence: string }
  | { state: "unknown" };

@customElement("kumi-results")
export class ResultsPage extends LitElement {
  @state() private results: StudyResults | null = null;
  @state() private notice = "";
  @state() private metric = "";
  @state() private over = "";
  @state() private chosen: StudyRun | null = null;
  @state() private replay: Replay = { state: "unknown" };

  static override styles = [controls, css`
    :host { display: grid; height: 100vh; height: 100dvh; grid-template: "head head" auto "left right" minmax(0, 1fr) / minmax(0, 1fr) auto; }
    header { grid-area: head; display: flex; align-items: center; gap: 8px; padding: 4px 12px; background: var(--panel); border-bottom: 1px solid var(--line); }
    h1 { font-size: 15px; margin: 0; flex: 1; } h1 small { font-weight: 400; margin-left: 8px; } h2 { font-size: 14px; margin: 0; }
    main { grid-area: left; overflow: auto; padding: 12px 16px; } .choices { display: flex; gap: 16px; flex-wrap: wrap; margin-bottom: 6px; }
    aside { grid-area: right; width: min(56vw, 900px); border-left: 1px solid var(--line); display: flex; flex-direction: column; min-height: 0; }
    .about { padding: 8px 12px; background: var(--panel); border-bottom: 1px solid var(--line); } .about p { margin: 2px 0; overflow-wrap: anywhere; } progress { width: 100%; accent-color: var(--accent); }
    iframe { border: 0; flex: 1; min-height: 0; width: 100%; } .warning { background: var(--warning); color: var(--on-warning); padding: 4px 8px; border-radius: 6px; }
    .head { display: flex; align-items: center; } .head h2 { flex: 1; }
    @media (max-width: 900px) { :host { grid-template: "head" auto "left" minmax(0, 1fr) "right" minmax(0, 1fr) / minmax(0, 1fr); } aside { width: auto; border-left: 0; border-top: 1px solid var(--line); } }
  `];

  constructor() {
    super();
    rememberedTheme();
    void this.load();
  }

  protected override render(): TemplateResult {
    const { results } = this;
    if (results === null) return html`<main><p role="alert">${this.notice === "" ? "Loading …" : this.notice}</p></main>`;
    const failed = results.runs.filter((run) => run.outcome !== "finished").length;
    const metrics = Object.keys(results.metrics);
    const choose = (event: CustomEvent<number>): void => { void this.choose(event.detail); };
    return html`
      <header><h1>${results.name}<small class="quiet">${results.runs.length} runs, ${results.points.length} combinations${failed > 0 ? `, ${failed} failed` : ""}</small></h1>
        <button aria-label="Dark or light" title="Dark or light" @click=${() => { takeTheme(presentTheme() === "dark" ? "light" : "dark"); }}>${THEME}</button></header>
      <main>
        <div class="choices">
          ${this.choice("Metric", metrics, this.metric, (name) => { this.metric = name; })}
          ${results.varied.length === 0 ? nothing : this.choice("Over", results.varied, this.over, (name) => { this.over = name; })}
        </div>
        <p class="quiet">${[results.metrics[this.metric]?.about, "means"].filter((word) => (word ?? "") !== "").join("; ")} with ${100 * results.level} % intervals${(results.metrics[this.metric]?.upTo ?? null) === null ? "" : ", restricted, since it may not come: rings are runs that ended without it"}. Click a point or a row to see its run.</p>
        <kumi-study-plot .results=${results} .metric=${this.metric} .over=${this.over} .chosen=${this.chosen?.row ?? null} @choose=${choose}></kumi-study-plot>
        <kumi-study-table .results=${results} .chosen=${this.chosen?.row ?? null} @choose=${choose}></kumi-study-table>
      </main>
      ${this.chosen === null ? nothing : this.beside(this.chosen)}`;
  }

  private choice(label: string, names: readonly string[], present: string, take: (name: string) => void): TemplateResult {
    return html`<label><span class="quiet">${label}</span> <select aria-label=${label} @change=${(event: Event) => { take((event.target as HTMLSelectElement).value); }}>
      ${names.map((name) => html`<option value=${name} ?selected=${name === present}>${name}</option>`)}</select></label>`;
  }

  private beside(run: StudyRun): TemplateResult {
    const { replay } = this;
    const given = Object.entries(run.parameters).map(([name, value]) => `${name} = ${String(value)}, `).join("");
    const came = Object.entries(run.metrics).map(([name, value]) => `${name} = ${brief(value)}`).join(", ");
    return html`<aside aria-label="Run">
      <div class="about"><div class="head"><h2>Row ${run.row}: ${given}seed = ${run.seed}</h2>
        <button aria-label="Close" title="Close" @click=${() => { this.chosen = null; }}>✕</button></div>
        <p class="number">${came}</p>
        ${replay.state === "running" ? progress(replay) : nothing}
        ${replay.state === "failed" ? html`<p class="warning" role="alert">${replay.sentence}</p>` : nothing}
        ${replay.state !== "ready" ? nothing : replay.isSame
          ? html`<p class="quiet" role="status">The same as measured: trace hash ${replay.hash ?? ""}</p>`
          : html`<p class="warning" role="alert">${replay.sentence}</p>`}</div>
      ${replay.state === "ready" ? html`<iframe title="The run of row ${run.row}" src="rows/${run.row}/"></iframe>` : nothing}
    </aside>`;
  }

  private async load(): Promise<void> {
    try {
      const results = (await (await fetch("results", { cache: "no-store" })).json()) as StudyResults;
      const isNumber = (name: string): boolean => results.points.some((point) => point.means[name] !== undefined);
      this.metric = Object.keys(results.metrics).find(isNumber) ?? Object.keys(results.metrics)[0] ?? "";
      this.over = results.varied[0] ?? "";
      this.results = results;
      document.title = `${results.name} · kumi`;
    } catch {
      this.notice = "The server does not answer.";
    }
  }

  // Has a row run again, and asks until it can be looked at.
  private async choose(row: number): Promise<void> {
    const run = this.results?.runs.find((one) => one.row === row);
    if (run === undefined || run === this.chosen) return;
    this.chosen = run;
    this.replay = { state: "running", time: null, elapsed: 0, took: run.took };
    const isStill = (): boolean => this.chosen === run;
    try {
      let replay = await this.ask(row, "POST");
      while (isStill()) {
        this.replay = replay;
        if (replay.state !== "running") return;
        await new Promise((resolve) => setTimeout(resolve, OFTEN));
        replay = await this.ask(row, "GET");
      }
    } catch {
      if (isStill()) this.replay = { state: "failed", sentence: "The server is gone." };
    }
  }

  private async ask(row: number, method: string): Promise<Replay> {
    const answer = await fetch(`rows/${row}/replay`, { method, cache: "no-store" });
    return answer.ok ? ((await answer.json()) as Replay) : { state: "failed", sentence: await answer.text() };
  }
}

// How far a run has got that is made again; it takes about as long as it did, and a little more, since it is written down.
function progress({ time, elapsed, took }: Running): TemplateResult {
  const share = took === null || took <= 0 ? null : Math.min(elapsed / took, 0.98);
  const of = took === null ? "" : `; it took ${brief(took)} s when it was measured`;
  return html`<p role="status">Running it again: ${time === null ? "it begins" : `${clockText(time)} of the run`}, ${elapsed.toFixed(1)} s${of}</p>
    <progress aria-label="Progress of the run" max="1" value=${share ?? nothing}></progress>`;
}
