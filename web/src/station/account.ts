// Who is logged in, and what became of the tasks that they gave.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property } from "lit/decorators.js";
import type { StationSession } from "./session";
import { controls } from "../panels/styles";

const MOST = 3; // notices at a time

@customElement("kumi-account")
export class Account extends LitElement {
  @property({ attribute: false }) station!: StationSession;
  @property({ type: Number }) tick = 0;

  static override styles = [controls, css`
    :host { display: flex; align-items: center; gap: 6px; min-width: 0; }
    .who { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 260px; }
    ul { position: fixed; left: 10px; bottom: 64px; z-index: 3; pointer-events: none; list-style: none; margin: 0; padding: 0; display: grid; gap: 6px; width: min(340px, 60vw); }
    li { display: flex; align-items: center; gap: 6px; padding: 6px 6px 6px 12px; border: 1px solid var(--line); border-left: 4px solid var(--accent);
      border-radius: 8px; background: var(--plane); box-shadow: 0 4px 14px #0002; overflow-wrap: anywhere; }
    li.bad { border-left-color: var(--contact); } li span { flex: 1; min-width: 0; } li button { pointer-events: auto; }
    @media (max-width: 720px) { .who { max-width: 90px; } }
  `];

  protected override render(): TemplateResult {
    const { person, notices } = this.station;
    if (person === null) return html``;
    const { name, team, role } = person;
    const now = performance.now();
    const notice = notices.filter((one) => one.until > now).slice(0, MOST).map((one) => html`<li class=${one.isGood ? "" : "bad"}><span>${one.text}</span>
      <button aria-label="Dismiss" @click=${() => { this.station.dismiss(one); }}>×</button></li>`);
    return html`<span class="who" title="${role}${team === null ? "" : ` of team ${team}`}">${name} <span class="quiet">${role}${team === null ? "" : `, ${team}`}</span></span>
      <button @click=${() => void this.station.logOut()}>Log out</button>
      ${notice.length === 0 ? nothing : html`<div role="status" aria-label="Ended tasks"><ul>${notice}</ul></div>`}`;
  }
}
