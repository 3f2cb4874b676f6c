// The page: the work space, the controls of time, and panels beside it.

import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from "lit";
import { customElement, query, state } from "lit/decorators.js";
import "./panels/in_reach";
import "./panels/legend";
import "./panels/stop";
import "./station/account";
import "./station/log_in";
import "./panels/time_bar";
import "./panels/tour";
import "./panels/work_space";
import { readTile, tileComplaint } from "./draw/camera";
import { FIT, FOLLOW, KEYS, LAYERS, PANEL, THEME, TOUR } from "./panels/icons";
import { Hand } from "./actions/hand";
import { takeKey } from "./panels/key";
import { keyAction, type KeyActions } from "./panels/keys";
import type { Layers } from "./draw/overlay";
import { keySheet, layerSheet, panelInside, PANELS, panelsFor, sheetStyles, type Panel } from "./panels/panels";
import { presentTheme, rememberedTheme, takeTheme } from "./draw/palette";
import { RunActions } from "./actions/run_actions";
import { obstacleAt, obstaclesOf } from "./draw/scenery";
import { Session } from "./session";
import { controls } from "./panels/styles";
import { setSpeed, speedBeside, speedOf } from "./panels/speed";
import type { ToolKind } from "./actions/tool";
import type { Guided } from "./panels/tour";
import type { Pointed, WorkSpace } from "./panels/work_space";

const LOW = 480; // pixels of a window in which panels would leave no room for the picture
const OFTEN = 100; // milliseconds between two looks at panels

@customElement("kumi-view")
export class View extends LitElement implements KeyActions, Guided {
  readonly session: Session;
  readonly hand = new Hand();
  // Milliseconds of JavaScript of the last frames, for measuring.
  readonly frames: number[] = [];
  frameCount = 0;
  firstPicture = NaN; // milliseconds after the page began to load
  @state() private pointed: Pointed = { chosen: null, hovered: null };
  @state() private follows = false;
  @state() private panel: Panel | null = "robot";
  @state() private opened: "layers" | "keys" | null = null;
  @state() private isTouring: boolean;
  @state() private tick = 0;
  @state() private layers: Layers = {
    grid: true, colors: true, maps: true, marks: true, reserved: true, trails: true, goals: false, reach: false, messages: true, contacts: true, names: true,
    station: true, sensors: false,
    teams: true, lost: true,
  };
  @query("kumi-work-space") private space!: WorkSpace;
  private readonly isTile: boolean;
  private readonly wrongTile: string;
  private looked = 0;

  static override styles = [controls, sheetStyles, css`
    :host { display: grid; height: 100vh; height: 100dvh; grid-template:
      "head head" auto "note note" auto "space side" minmax(0, 1fr) "time time" auto / minmax(0, 1fr) auto; }
    header, kumi-time-bar { background: var(--panel); border: 0 solid var(--line); }
    header { grid-area: head; display: flex; align-items: center; gap: 4px; padding: 4px 10px; border-bottom-width: 1px; position: relative; z-index: 2; }
    kumi-time-bar { grid-area: time; border-top-width: 1px; }
    h1 { font-size: 15px; font-weight: 600; margin: 0 8px 0 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; flex: 1; }
    h1 small { font-weight: 400; margin-left: 8px; }
    .notice { grid-area: note; margin: 0; padding: 6px 12px; background: var(--warning); color: var(--on-warning); }
    .space { position: relative; min-height: 0; min-width: 0; grid-area: space; display: flex; flex-direction: column; }
    kumi-work-space { flex: 1; min-height: 0; }
    .foot { display: flex; align-items: center; border-top: 1px solid var(--line); background: var(--panel); }
    kumi-legend { flex: 1; }
    aside { grid-area: side; width: min(380px, 40vw); border-left: 1px solid var(--line); background: var(--panel); display: flex; flex-direction: column; min-height: 0; }
    @media (min-width: 1100px) { aside.station { width: 440px; } } /* it has the most tabs, which fit in a row then */
    aside.wide { width: min(640px, 50vw); }
    [role="tablist"] { display: flex; flex-wrap: wrap; gap: 2px; padding: 6px 8px; border-bottom: 1px solid var(--line); }
    [role="tab"] { white-space: nowrap; padding: 0 7px; flex: none; }
    .station [role="tab"] { padding: 0 5px; }
    [role="tabpanel"] { flex: 1; min-height: 0; overflow: auto; display: flex; }
    [role="tabpanel"] > * { flex: 1; min-width: 0; }
    .words { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
    @media (max-width: 720px) {
      :host { grid-template: "head" auto "note" auto "space" minmax(0, 1fr) "side" auto "time" auto / minmax(0, 1fr); }
      aside, aside.wide { width: auto; height: 38vh; border-left: 0; border-top: 1px solid var(--line); }
      [role="tablist"] { flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none; scroll-padding-inline: 8px; flex: none; }
      h1 small { display: none; }
    }
  `];

  constructor() {
    super();
    rememberedTheme();
    const asked = new URLSearchParams(location.search);
    this.isTile = readTile(asked.get("tile")) !== null;
    this.wrongTile = tileComplaint(asked.get("tile"));
    if (this.isTile || window.self !== window.top || innerHeight < LOW) this.panel = null;
    this.isTouring = asked.has("tour") && this.panel !== null;
    this.session = new Session(this.isTile || asked.has("together"));
    this.session.onChange = this.hand.onChange = () => { this.tick += 1; };
    this.hand.obstacleAt = (x, y) => this.wallAt(x, y);
    const key = takeKey();
    const fit = (): void => { if (this.hasUpdated) this.space.fit(); };
    this.session.onMapped = fit;
    this.session.onOpened = () => {
      this.hand.actions = this.session.stationSession?.actions ?? this.ofRun(key);
      document.title = `${this.session.meta?.title ?? ""} · kumi`;
      this.pointed = { chosen: null, hovered: null }; // a number may be another robot's now
      fit();
    };
  }

  // What can be done to a run, once the server has said that one may.
  private ofRun(key: string | null): RunActions {
    const known = this.session.meta?.actions ?? [];
    const actions = new RunActions(known, key);
    if (known.length > 0) void actions.prove().then(() => { this.tick += 1; });
    return actions;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.session.begin();
    addEventListener("keydown", (event) => { keyAction(event, this); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.space.takePalette(); });
    const frame = (): void => {
      requestAnimationFrame(frame);
      this.frame();
    };
    requestAnimationFrame(frame);
  }

  protected override render(): TemplateResult {
    const space = html`<div class="space"><kumi-work-space .session=${this.session} .layers=${this.layers} .hand=${this.hand}
      .pointed=${this.pointed} ?follows=${this.follows} .follows=${this.follows} @point=${this.point}
      @unfollow=${() => { this.follows = false; }}></kumi-work-space>${this.isTile ? nothing : html`<kumi-in-reach
      .session=${this.session} .hand=${this.hand} .chosen=${this.pointed.chosen} .tick=${this.tick}></kumi-in-reach>${this.foot()}`}</div>`;
    const { meta, stationSession: station } = this.session;
    const notice = [this.wrongTile, this.session.notice].filter((one) => one !== "").join(" ");
    const logIn = station?.isAsking !== true ? nothing
      : html`<kumi-log-in .station=${station} .where=${meta?.title ?? ""} .tick=${this.tick}></kumi-log-in>`;
    if (this.isTile) return html`${space}${logIn}`;
    return html`
      <header>
        <h1>${meta?.title ?? "kumi"}${meta === null ? nothing : html`<small class="quiet">${meta.isStation ? "station" : `seed ${meta.seed}`} ·
          <span class="number">${this.session.swarm.bodies.size}</span> ${this.session.swarm.bodies.size === 1 ? "robot" : "robots"}</small>`}</h1>
        ${station === null ? nothing : html`<kumi-account .station=${station} .tick=${this.tick}></kumi-account>`}
        ${this.button("Layers", LAYERS, () => { this.open("layers"); }, "expanded", this.opened === "layers")}
        ${this.button("Fit", FIT, () => { this.fit(); })}
        ${this.button("Follow the chosen robot", FOLLOW, () => { this.follow(); }, "pressed", this.follows)}
        ${this.button("Dark or light", THEME, () => { this.theme(); })}
        ${this.button("Ten things to try", TOUR, () => { this.tour(); }, "pressed", this.isTouring)}
        ${this.button("Keys", KEYS, () => { this.open("keys"); }, "expanded", this.opened === "keys")}
        ${this.button("Panels", PANEL, () => { this.togglePanel(); }, "expanded", this.panel !== null)}
        ${this.opened === null ? nothing : html`<div class="sheet">${this.opened === "keys" ? keySheet(this.hand.canAct)
          : layerSheet(this.layers, this.session, (key) => { this.layers = { ...this.layers, [key]: !this.layers[key] }; })}</div>`}
        <div class="words" role="status" aria-live="polite">${this.words()}</div>
      </header>
      ${notice === "" ? nothing : html`<p class="notice" role="alert">${notice}</p>`}
      ${space}
      ${this.panel === null ? nothing : this.panels(this.panel)}
      <kumi-time-bar .session=${this.session} .hand=${this.hand} .tick=${this.tick}></kumi-time-bar>${logIn}`;
  }

  private foot(): TemplateResult {
    const { session, hand, layers, tick } = this;
    const space = this.hasUpdated ? this.space : null;
    return html`<div class="foot"><kumi-legend .session=${session} .layers=${layers} .camera=${space?.picture?.camera ?? null}
        .pointer=${space?.pointer ?? null} .tick=${tick}></kumi-legend>
      ${hand.offers("stop") && !session.isOver ? html`<kumi-stop .session=${session} .hand=${hand}
        .chosen=${this.pointed.chosen} .tick=${tick}></kumi-stop>` : nothing}</div>`;
  }

  // Where tabs are in a row that is scrolled, the chosen one is in view.
  protected override updated(changed: PropertyValues): void {
    if (changed.has("panel")) this.renderRoot.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // What keys do.
  playOrPause(): void {
    if (this.session.playing.isPlaying) this.session.pause();
    else this.session.play();
  }

  step(isAfter: boolean): void {
    void this.session.step(isAfter);
  }

  faster(by: number): void {
    const speed = speedBeside(speedOf(this.session), by);
    setSpeed(this.session, this.hand, speed);
  }

  toEnd(isEnd: boolean): void {
    if (isEnd && !this.session.isOver) this.session.goLive();
    else this.session.seek(isEnd ? this.session.end : this.session.start);
  }

  zoom(factor: number): void {
    this.space.zoom(factor);
  }

  pan(dx: number, dy: number): void {
    this.space.pan(dx * 80 * devicePixelRatio, dy * 80 * devicePixelRatio);
  }

  fit(): void {
    this.space.fit();
  }

  follow(): void {
    this.follows = !this.follows && this.pointed.chosen !== null;
  }

  chooseNext(by: number): void {
    const numbers = [...this.session.swarm.bodies.keys()].sort((one, other) => one - other);
    if (numbers.length === 0) return;
    const at = this.pointed.chosen === null ? (by > 0 ? -1 : 0) : numbers.indexOf(this.pointed.chosen);
    const chosen = numbers[(at + by + numbers.length) % numbers.length] ?? null;
    this.pointed = { ...this.pointed, chosen };
  }

  close(): void {
    if (this.opened !== null) this.opened = null;
    else if (this.hand.tool.kind !== null) this.dropTool();
    else this.pointed = { ...this.pointed, chosen: null };
  }

  theme(): void {
    takeTheme(presentTheme() === "dark" ? "light" : "dark");
    this.space.takePalette();
    this.tick += 1;
  }

  showPanel(number: number): void {
    this.panel = panelsFor(this.hand, this.session)[number] ?? this.panel;
  }

  open(sheet: "layers" | "keys"): void {
    this.opened = this.opened === sheet ? null : sheet;
  }

  takeTool(kind: ToolKind): void {
    this.hand.takeTool(kind);
  }

  endTool(): void {
    this.hand.tool.finish(this.pointed.chosen);
    this.tick += 1;
  }

  stop(isAll: boolean): void {
    if (isAll || this.pointed.chosen !== null) this.hand.stop(isAll ? null : this.pointed.chosen);
  }

  release(): void {
    const { chosen } = this.pointed;
    if (chosen !== null && this.hand.offers("release")) void this.hand.do(`Robot ${chosen} is released.`, (acts) => acts.release(chosen));
  }

  // What the tour does.
  chosenOrFirst(): number | null {
    if (this.pointed.chosen === null) this.chooseNext(1);
    return this.pointed.chosen;
  }

  followOrFit(follows: boolean): void {
    if (!follows) {
      this.fit();
      return;
    }
    this.follows = this.chosenOrFirst() !== null;
    this.space.zoom(2.5);
  }

  show(panel: Panel): void {
    this.panel = panel;
  }

  private tour(): void {
    this.isTouring = !this.isTouring;
    if (this.isTouring) this.panel ??= "robot";
  }

  private dropTool(): void {
    this.hand.tool.leave();
    this.tick += 1;
  }

  private wallAt(x: number, y: number): number | null {
    const { meta, swarm } = this.session;
    return meta === null ? null : obstacleAt(obstaclesOf(meta.map, swarm.came, swarm.left), x, y, this.space.slack);
  }

  private togglePanel(): void {
    this.panel = this.panel === null ? "robot" : null;
  }

  private point(event: CustomEvent<Partial<Pointed>>): void {
    this.pointed = { ...this.pointed, ...event.detail };
    if (event.detail.chosen != null && this.panel === null && innerWidth > 720) this.panel = "robot";
  }

  private frame(): void {
    if (!this.hasUpdated) return;
    const begun = performance.now();
    this.session.frame();
    this.space.draw();
    const ended = performance.now();
    this.frameCount += 1;
    this.frames.push(ended - begun);
    if (this.frames.length > 2000) this.frames.splice(0, 1000);
    if (Number.isNaN(this.firstPicture) && this.session.swarm.bodies.size > 0) this.firstPicture = ended;
    if (ended - this.looked < OFTEN) return;
    this.looked = ended;
    this.session.stationSession?.choose(this.pointed.chosen);
    this.tick += 1;
  }

  private button(
    name: string, icon: TemplateResult, act: () => void, kind: "none" | "pressed" | "expanded" = "none", on = false,
  ): TemplateResult {
    const said = (which: string): string | typeof nothing => (kind === which ? String(on) : nothing);
    return html`<button aria-label=${name} title=${name} aria-pressed=${said("pressed")} aria-expanded=${said("expanded")}
      @click=${act}>${icon}</button>`;
  }

  private panels(panel: Panel): TemplateResult {
    const { session, hand, pointed, tick } = this;
    const choose = panelsFor(hand, session).map((key) => html`<button role="tab" aria-selected=${key === panel}
      @click=${() => { this.panel = key; }}>${PANELS[key]}</button>`);
    const inside = panelInside(panel, { session, hand, pointed, tick, point: (event) => { this.point(event); } });
    const kind = [session.stationSession === null ? "" : "station", panel === "diagram" ? "wide" : ""].join(" ").trim();
    const tour = this.isTouring ? html`<kumi-tour .page=${this} .tick=${tick} @leave=${() => { this.tour(); }}></kumi-tour>` : nothing;
    return html`<aside class=${kind} aria-label="Panels">${tour}
      <div role="tablist">${choose}</div><div role="tabpanel" aria-label=${PANELS[panel]}>${inside}</div></aside>`;
  }

  private words(): string {
    const { chosen } = this.pointed;
    const who = chosen === null ? "" : ` Robot ${chosen} is chosen.`;
    return `${this.session.playing.isPlaying ? "Playing" : "Paused"}.${who}`;
  }
}
