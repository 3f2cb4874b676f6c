// What robots of one's team discovered, with what they filmed of it, and what they measured where.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import "./film";
import { rangeOf } from "./drawing";
import { place } from "./records";
import { said, type StationSession } from "./session";
import { controls } from "../panels/styles";

@customElement("kumi-finds")
export class Finds extends LitElement {
  @property({ attribute: false }) station!: StationSession;
  @property({ type: Number }) tick = 0;
  @state() private opened: number | null = null;
  @state() private names: string[] = [];
  @state() private why = "";
  private asked = -1;

  static override styles = [controls, css`
    :host { display: block; } h3 { font-size: 13px; margin: 4px 0; } p { margin: 4px 0; }
    ul { list-style: none; margin: 0 0 14px; padding: 0; } li { padding: 4px 0; overflow-wrap: anywhere; }
    .row { display: flex; gap: 8px; align-items: baseline; } .row > span { flex: 1; min-width: 0; }
    .scale { height: 10px; border-radius: 5px; background: linear-gradient(to right, #2166ac, #f7f7f7, #b2182b); }
    .ends { display: flex; justify-content: space-between; }
  `];

  protected override updated(): void {
    if (this.asked === this.station.measured) return;
    this.asked = this.station.measured;
    void this.station.api.call("list_layers", {}).then(({ names }) => { this.names = names; }, () => undefined);
  }

  protected override render(): TemplateResult {
    const { finds, layer } = this.station;
    return html`<h3 id="found">Found</h3>
      ${finds.length === 0 ? html`<p class="quiet">Nothing was found yet.</p>` : nothing}
      <ul aria-labelledby="found">${finds.map((one) => html`<li><div class="row"><span>${one.name} <span class="quiet">at ${place(one.at)} by ${one.robot}</span></span>
        ${one.media === null ? nothing : html`<button aria-expanded=${this.opened === one.media} aria-label="Show what was filmed of ${one.name}"
          @click=${() => { this.opened = this.opened === one.media ? null : one.media; }}>Show</button>`}</div>
        ${one.media !== null && one.media === this.opened ? html`<kumi-film .station=${this.station} .medium=${one.media}></kumi-film>` : nothing}</li>`)}</ul>
      <h3 id="measured">Measured</h3>
      ${this.why === "" ? nothing : html`<p role="alert">${this.why}</p>`}
      ${this.names.length === 0 ? html`<p class="quiet">Nothing was measured yet.</p>` : html`
        <select aria-labelledby="measured" @change=${(event: Event) => void this.show((event.target as HTMLSelectElement).value)}>
          <option value="" ?selected=${layer === null}>none</option>
          ${this.names.map((name) => html`<option value=${name} ?selected=${layer?.name === name}>${name}</option>`)}</select>`}
      ${layer === null ? nothing : this.scale(layer.samples.map((one) => one.value))}`;
  }

  private scale(values: number[]): TemplateResult {
    const [least, most] = rangeOf(values);
    return html`<p class="quiet">${values.length} places</p><div class="scale" role="img" aria-label="from ${least} to ${most}"></div>
      <div class="ends number"><span>${Number(least.toPrecision(4))}</span><span>${Number(most.toPrecision(4))}</span></div>`;
  }

  private async show(name: string): Promise<void> {
    try {
      await this.station.showLayer(name === "" ? null : name);
      this.why = "";
    } catch (error) {
      this.why = said(error);
    }
  }
}
