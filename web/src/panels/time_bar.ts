// The controls of time: play, pause, speed, step from event to event, go anywhere.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import { BACK, FORWARD, PAUSE, PLAY } from "./icons";
import type { Hand } from "../actions/hand";
import type { Session } from "../session";
import { isOfRun, lateness, setSpeed, speedOf, SPEEDS, whyNot } from "./speed";
import { controls } from "./styles";

// Seconds as a person reads them: 12.345 s, 3:07.250, 1:02:03.
export function clockText(seconds: number): string {
  const sign = seconds < 0 ? "−" : "";
  const whole = Math.abs(seconds);
  if (whole < 60) return `${sign}${whole.toFixed(3)} s`;
  const minutes = Math.floor(whole / 60);
  const rest = (whole - 60 * minutes).toFixed(3).padStart(6, "0");
  if (minutes < 60) return `${sign}${minutes}:${rest}`;
  return `${sign}${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

const PACE = "Seconds of the run a second, of late";
const LATE = "How far the run is behind the wall clock; what is lost, it could not make up for";

@customElement("kumi-time-bar")
export class TimeBar extends LitElement {
  @property({ attribute: false }) session!: Session;
  @property({ attribute: false }) hand!: Hand;
  @property({ type: Number }) tick = 0;

  static override styles = [controls, css`
    :host { display: flex; align-items: center; gap: 6px; padding: 6px 10px; flex-wrap: wrap; }
    input[type="range"] { flex: 1 1 100px; min-width: 100px; }
    .time { min-width: 92px; text-align: right; }
    .late { min-width: 72px; }
    .why { flex: 9 1 60px; max-width: 260px; min-width: 60px; font-size: 11px; line-height: 1.2; }
    @media (max-width: 900px) { .word { display: none; } input[type="range"] { flex-basis: 80px; min-width: 80px; } }
    @media (max-width: 480px) { .end { display: none; } input[type="range"] { flex-basis: 120px; } .why { order: 1; flex-basis: 100%; max-width: none; } }
    @media (max-width: 480px) and (max-height: 480px) {
      .step, .pace, .late, .why { display: none; } .time { min-width: 66px; } input[type="range"] { flex-basis: 60px; min-width: 60px; }
    }
    .live { color: var(--contact); font-weight: 600; }
    .live[aria-pressed="true"] { color: var(--contact); }
  `];

  protected override render(): TemplateResult {
    const session = this.session;
    const { isPlaying, isLive } = session.playing;
    const span = Math.max(session.end - session.start, 1e-9);
    return html`
      <button class="step" aria-label="Step back by one event" title="Step back by one event (←)"
        @click=${() => void session.step(false)}>${BACK}</button>
      <button aria-label=${isPlaying ? "Pause" : "Play"} title="${isPlaying ? "Pause" : "Play"} (space)"
        @click=${() => { if (isPlaying) session.pause(); else session.play(); }}>${isPlaying ? PAUSE : PLAY}</button>
      <button class="step" aria-label="Step forward by one event" title="Step forward by one event (→)"
        @click=${() => void session.step(true)}>${FORWARD}</button>
      <input type="range" min="0" max="1000" step="any" aria-label="Time" aria-valuetext=${clockText(session.now)}
        .value=${String(((session.now - session.start) / span) * 1000)}
        @input=${(event: Event) => { this.scrub(event, span); }} />
      <span class="number time" role="timer" aria-label="Time shown">${clockText(session.now)}</span>
      <span class="number quiet end">of ${clockText(session.end)}</span>
      ${this.speed()}
      ${session.meta?.isLive !== true ? nothing : session.isOver
        ? html`<span class="quiet">the run is over</span>`
        : html`<button class="live" aria-pressed=${isLive && isPlaying} title="Keep up with the run (End)"
            @click=${() => { session.goLive(); }}>● live</button>
          <span class="number quiet pace" title=${PACE}>×${session.live.pace.toFixed(2)}</span>
          <span class="number quiet late" role="status" aria-label="Lateness" title=${LATE}>${lateness(session)}</span>`}
    `;
  }

  private speed(): TemplateResult {
    const { session, hand } = this;
    const why = whyNot(session, hand);
    const speed = speedOf(session);
    const choices = speed === null || SPEEDS.includes(speed) ? SPEEDS : [...SPEEDS, speed].sort((one, other) => one - other);
    const set = (event: Event): void => { setSpeed(session, hand, Number((event.target as HTMLSelectElement).value)); };
    return html`<label title=${why === "" ? (isOfRun(session) ? "How fast the run goes, for all who look" : "How fast it is played here") : why}>
        <span class="quiet word">speed</span>
        <select aria-label="Speed" ?disabled=${why !== ""} aria-describedby=${why === "" ? nothing : "why"} @change=${set}>
          ${speed === null ? html`<option selected>as fast as it can</option>` : nothing}
          ${choices.map((one) => html`<option value=${one} .selected=${one === speed}>×${one}</option>`)}
        </select></label>${why === "" ? nothing : html`<span id="why" class="quiet why" title=${why}>${why}</span>`}`;
  }

  private scrub(event: Event, span: number): void {
    const share = Number((event.target as HTMLInputElement).value) / 1000;
    this.session.seek(this.session.start + share * span);
  }
}
