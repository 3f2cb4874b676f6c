// What changes in the world: robots, walls, the map, noise; and what each body is known to be.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { Hand } from "../actions/hand";
import { typed } from "../actions/places";
import type { Session } from "../session";
import { controls, forms } from "./styles";
import type { ToolKind } from "../actions/tool";

const TOOLS: readonly [ToolKind, string][] = [["placeRobot", "Place a robot"], ["drawWall", "Draw a wall (W)"], ["removeWall", "Remove a wall"]];

@customElement("kumi-world-panel")
export class WorldPanel extends LitElement {
  @property({ attribute: false }) session!: Session;
  @property({ attribute: false }) hand!: Hand;
  @property({ attribute: false }) chosen: number | null = null;
  @property({ type: Number }) tick = 0;
  @state() private isForChosen = false;

  static override styles = [controls, forms, css`
    .typed { flex-wrap: nowrap; }
    .noise { display: grid; grid-template-columns: 1fr 76px; gap: 6px 10px; align-items: center; }
  `];

  protected override render(): TemplateResult {
    const { hand, chosen } = this;
    const { noise } = this.session.done;
    const isStation = this.session.stationSession !== null;
    return html`
      <section>
        <h2>World</h2>
        <div class="row">${TOOLS.map(([kind, words]) => hand.offers(kind) ? html`<button class="plain" aria-pressed=${hand.tool.kind === kind}
          @click=${() => { hand.takeTool(kind); }}>${words}</button>` : nothing)}
          ${hand.offers("removeRobot") ? html`<button class="plain" ?disabled=${chosen === null} @click=${this.removeRobot}>Remove the chosen robot</button>` : nothing}</div>
        ${hand.offers("drawWall") ? html`<form class="row typed" @submit=${this.drawTyped}>
          <input type="text" name="places" aria-label="Ends of a wall" placeholder="or type: 2, 5; 4, 6.5" autocomplete="off" />
          <button class="plain">Draw</button></form>` : nothing}
        <p class="quiet" role="status">${hand.told}</p>
      </section>
      ${hand.offers("saveMap") || hand.offers("loadMap") ? html`<section>
        <h3>Map</h3>
        <div class="row">
          ${hand.offers("saveMap") ? html`<button class="plain" @click=${() => void this.saveMap()}>Save as a file</button>` : nothing}
          ${hand.offers("loadMap") ? html`<label class="plain file">${isStation ? "Load a map" : "Load obstacles"}<input type="file" accept=".toml"
            aria-label="File with a map" @change=${this.loadMap} /></label>` : nothing}</div>
        <p class="quiet">${isStation ? "A map takes the place of the one in use, for all robots."
          : "A map brings its obstacles in place of those that stand. Size and ground stay."}</p>
      </section>` : nothing}
      ${hand.offers("setNoise") ? html`<section>
        <h3>Noise</h3>
        <form class="noise" @submit=${this.setNoise}>
          <label for="motion">Motion: error of ways and turns, %</label>
          <input id="motion" name="motion" type="number" min="0" max="100" step="any" .value=${String(100 * noise.motion)} />
          <label for="sensors">Sensors: error of readings, %</label>
          <input id="sensors" name="sensors" type="number" min="0" max="100" step="any" .value=${String(100 * noise.sensors)} />
          <label class="check"><input type="checkbox" ?disabled=${chosen === null} .checked=${this.isForChosen && chosen !== null}
            @change=${() => { this.isForChosen = !this.isForChosen; }} />chosen robot only</label>
          <button class="plain">Set</button>
        </form>
      </section>` : nothing}`;
  }

  // Typing is not disturbed by time going on.
  protected override shouldUpdate(): boolean {
    const { activeElement } = this.shadowRoot ?? {};
    return !(activeElement instanceof HTMLInputElement && activeElement.type === "number");
  }

  private drawTyped(event: SubmitEvent): void {
    const text = typed(event);
    this.hand.doAt("drawWall", null, text, 2, 2);
  }

  private removeRobot(): void {
    const { chosen } = this;
    if (chosen !== null) void this.hand.do(`Robot ${chosen} is gone.`, (acts) => acts.removeRobot(chosen));
  }

  private async saveMap(): Promise<void> {
    const text = await this.hand.do("The map is saved.", (acts) => acts.saveMap());
    if (text === null) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/toml" }));
    link.download = "map.toml";
    link.click();
    setTimeout(() => { URL.revokeObjectURL(link.href); }, 10_000);
  }

  private loadMap(event: Event): void {
    const field = event.target as HTMLInputElement;
    const file = field.files?.[0];
    field.blur();
    if (file === undefined) return;
    void file.text().then((text) => this.hand.do("The obstacles of the map stand.", (acts) => acts.loadMap(text)));
    field.value = "";
  }

  private setNoise(event: SubmitEvent): void {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const [motion, sensors] = ["motion", "sensors"].map((name) => Number(form.get(name)) / 100) as [number, number];
    const robot = this.isForChosen ? this.chosen : null;
    (this.shadowRoot?.activeElement as HTMLElement | null)?.blur();
    void this.hand.do("The noise is set.", (acts) => acts.setNoise(robot, { motion, sensors }));
  }
}
