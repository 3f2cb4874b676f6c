// What the chosen robot does, has to do and did, with what came of it.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import { endWords, taskWords } from "./records";
import type { Task } from "../types";
import { said, type StationSession } from "./session";
import { controls } from "../panels/styles";

const STATES: Record<Task["state"], string> = {
  waiting: "waits", sent: "under way", done: "done", failed: "failed", interrupted: "interrupted", stopped: "stopped", cancelled: "cancelled",
};

const SILENT = new Set(["goTo", "followPath", "examineArea", "import_module"]); // tasks that print nothing

@customElement("kumi-tasks")
export class Tasks extends LitElement {
  @property({ attribute: false }) station!: StationSession;
  @property({ type: Number }) tick = 0;
  @property({ attribute: false }) chosen: number | null = null;
  @state() private why = "";

  static override styles = [controls, css`
    :host { display: block; } h3 { font-size: 13px; margin: 12px 0 4px; } p { margin: 4px 0; }
    ol { list-style: none; margin: 0; padding: 0; } li { display: flex; gap: 8px; align-items: baseline; padding: 3px 0; overflow-wrap: anywhere; }
    pre { max-height: 220px; overflow: auto; margin: 2px 0 6px; padding: 6px; border: 1px solid var(--line); border-radius: 7px; font-size: 12px; white-space: pre-wrap; }
    li > span:first-child { flex: 1; min-width: 0; } .failed { color: var(--contact); }
    dl { display: grid; grid-template-columns: 110px 1fr; gap: 3px 10px; margin: 0; } dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
  `];

  protected override render(): TemplateResult {
    const { monitor, refusal } = this.station;
    const robot = this.chosen === null ? undefined : this.station.robots.get(this.chosen);
    if (robot === undefined) return html`<p class="quiet">Choose a robot to see its tasks.</p>`;
    const state = { connected: "", lost: " · lost", away: " · away" }[robot.state];
    return html`<p><strong>${robot.tag}</strong> <span class="quiet">of team ${robot.team}${state}</span></p>
      ${this.why === "" ? nothing : html`<p role="alert" class="failed">${this.why}</p>`}
      ${refusal === "" ? nothing : html`<p class="quiet">${refusal}</p>`}
      ${monitor === null ? nothing : html`
        ${this.list("Does", monitor.task === null ? [] : [monitor.task])}
        ${this.list("Has to do", monitor.waiting)}
        ${this.list("Did", monitor.done)}
        <h3>Can do</h3><p>${monitor.options.map((one) => one.name).join(", ") || "nothing yet"}</p>
        ${Object.keys(monitor.values).length === 0 ? nothing : html`<h3>Tells</h3><dl>${Object.entries(monitor.values).map(
          ([name, value]) => html`<dt>${name}</dt><dd>${typeof value === "string" ? value : JSON.stringify(value)}</dd>`)}</dl>`}`}`;
  }

  private list(title: string, tasks: Task[]): TemplateResult {
    const isOpen = title !== "Did";
    const { output } = this.station;
    return html`<h3>${title}</h3>${tasks.length === 0 ? html`<p class="quiet">nothing</p>` : nothing}
      <ol aria-label=${title}>${tasks.map((task) => html`<li><span class=${task.state === "failed" ? "failed" : ""}>
        ${taskWords(task)} <span class="quiet">${endWords(STATES[task.state], task)}</span></span>
        ${task.state === "waiting" || SILENT.has(task.name) ? nothing : html`<button aria-pressed=${task.id === output?.task} aria-label="Output of ${taskWords(task)}"
          @click=${() => void this.station.showOutput(task.id === output?.task ? null : task.id)}>Output</button>`}
        ${isOpen ? html`<button aria-label="Cancel ${taskWords(task)}" @click=${() => void this.cancel(task)}>Cancel</button>` : nothing}</li>
        ${task.id === output?.task ? html`<pre aria-label="Output">${output.text === "" ? "nothing was printed yet" : output.text}</pre>` : nothing}`)}</ol>`;
  }

  private async cancel(task: Task): Promise<void> {
    try {
      await this.station.actions.cancel(task.id);
      this.why = "";
    } catch (error) {
      this.why = said(error);
    }
  }
}
