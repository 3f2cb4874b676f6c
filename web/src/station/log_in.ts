// Who looks? A name and a password; the station gives a token for them, which stays in this window.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property, query, state } from "lit/decorators.js";
import type { StationSession } from "./session";
import { controls } from "../panels/styles";

const HOUR = 3600; // in seconds
const LIVES = [["30 days", 30 * 24 * HOUR], ["a day", 24 * HOUR], ["an hour", HOUR]] as const; // the first is chosen

@customElement("kumi-log-in")
export class LogIn extends LitElement {
  @property({ attribute: false }) station!: StationSession;
  @property({ type: Number }) tick = 0;
  @property() where = "";
  @state() private isBusy = false;
  @query("#name") private name!: HTMLInputElement;
  @query("#password") private password!: HTMLInputElement;
  @query("#new-password") private newPassword!: HTMLInputElement | null;
  @query("#life") private life!: HTMLSelectElement;

  static override styles = [controls, css`
    :host { position: fixed; inset: 0; z-index: 5; display: grid; place-items: center; background: #0006; }
    form { display: grid; gap: 10px; width: min(320px, 86vw); padding: 20px 24px; background: var(--plane); border: 1px solid var(--line);
      border-radius: 12px; box-shadow: 0 6px 24px #0003; }
    h2 { font-size: 16px; margin: 0; overflow-wrap: anywhere; } label { display: grid; gap: 4px; }
    input, select { min-height: 32px; padding: 0 8px; border: 1px solid var(--line); border-radius: 7px; background: var(--panel); }
    button { background: var(--accent); color: var(--plane); font-weight: 600; }
    button:hover { background: var(--accent); filter: brightness(1.1); }
    p { margin: 0; padding: 6px 10px; border-radius: 7px; background: var(--warning); color: var(--on-warning); }
  `];

  protected override render(): TemplateResult {
    return html`<form role="dialog" aria-modal="true" aria-labelledby="title" @submit=${this.submit} @keydown=${(event: Event) => { event.stopPropagation(); }}>
      <h2 id="title">Log in to ${this.where === "" ? "the station" : this.where}</h2>
      ${this.station.sentence === "" ? nothing : html`<p role="alert">${this.station.sentence}</p>`}
      <label>Name<input id="name" name="username" autocomplete="username" required maxlength="64" /></label>
      <label>Password<input id="password" name="password" type="password" autocomplete="current-password" required /></label>
      ${this.station.needsPassword ? html`<label>New password<input id="new-password" name="new-password" type="password" autocomplete="new-password"
        required minlength="8" maxlength="1000" /></label>` : nothing}
      <label>Stay logged in for<select id="life">${LIVES.map(([title, seconds]) => html`<option value=${seconds}>${title}</option>`)}</select></label>
      <button type="submit" ?disabled=${this.isBusy}>Log in</button>
    </form>`;
  }

  protected override firstUpdated(): void {
    this.name.focus();
  }

  private async submit(event: Event): Promise<void> {
    event.preventDefault();
    this.isBusy = true;
    const own = this.newPassword === null ? {} : { new_password: this.newPassword.value };
    await this.station.logIn(this.name.value.trim(), this.password.value, { life: Number(this.life.value), ...own });
    this.isBusy = false;
    if (!this.station.needsPassword) this.password.value = "";
  }
}
