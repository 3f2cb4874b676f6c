// Who may use the station: for a super-user all of them, with their teams, roles and tokens, to be changed here; for others their own
// account. What is shown and what may be done is the station's to say.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { AddPerson, Operations, People, Person } from "../types";
import { said, type StationSession } from "./session";
import { controls } from "../panels/styles";

const MAY: Record<Person["role"], string> = {
  observer: "looks at everything of the own team",
  commander: "also gives tasks and code, stops robots, and lets robots enter",
  "super-user": "does everything, for all teams",
};
const ROLES = Object.keys(MAY) as Person["role"][];

@customElement("kumi-people")
export class PeoplePart extends LitElement {
  @property({ attribute: false }) station!: StationSession;
  @property({ type: Number }) tick = 0;
  @state() private known: People | null = null;
  @state() private why = "";
  @state() private done = "";
  private asked = -1;

  static override styles = [controls, css`
    :host { display: block; } h3 { font-size: 13px; margin: 14px 0 4px; } p { margin: 4px 0; } .failed { color: var(--contact); }
    table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: 4px 6px 4px 0; vertical-align: middle; } td { overflow-wrap: anywhere; }
    th { font-weight: 400; color: var(--quiet); font-size: 12px; } tbody tr { border-top: 1px solid var(--line); }
    td:last-child { white-space: nowrap; text-align: right; } td small { display: block; }
    dl { display: grid; grid-template-columns: 60px 1fr; gap: 4px 10px; margin: 6px 0; } dt { color: var(--quiet); } dd { margin: 0; }
    form { display: grid; grid-template-columns: 1fr 1fr; gap: 6px; } form.one { grid-template-columns: 1fr auto; }
    input { min-height: 30px; padding: 0 8px; border: 1px solid var(--line); border-radius: 7px; background: var(--plane); min-width: 0; }
    .plain { border: 1px solid var(--line); background: var(--plane); } form .plain { grid-column: 1 / -1; } form.one .plain { grid-column: auto; }
  `];

  protected override updated(): void {
    if (this.asked === this.station.rights || !this.station.isSuperUser) return;
    this.asked = this.station.rights;
    void this.look();
  }

  protected override render(): TemplateResult {
    const { person, isSuperUser } = this.station;
    if (person === null) return html``;
    return html`${this.why === "" ? nothing : html`<p role="alert" class="failed">${this.why}</p>`}
      <p role="status">${this.done}</p>
      ${isSuperUser ? this.all() : own(person)}`;
  }

  private all(): TemplateResult {
    if (this.known === null) return html`<p class="quiet">asking the station …</p>`;
    const { people, teams } = this.known;
    return html`<table aria-label="People"><thead><tr><th>name</th><th>role</th><th>tokens</th></tr></thead>
      <tbody>${people.map((one) => this.row(one))}</tbody></table>
      <h3>Let somebody in</h3>
      <form @submit=${this.addPerson}>
        <input name="name" aria-label="Name of the person" placeholder="name" required maxlength="64" autocomplete="off" />
        <input name="password" aria-label="Password of the person" placeholder="password" type="password" required minlength="8" autocomplete="new-password" />
        <select name="team" aria-label="Team of the person"><option value="">no team</option>${teams.map((team) => html`<option>${team}</option>`)}</select>
        <select name="role" aria-label="Role of the person">${ROLES.map((role) => html`<option>${role}</option>`)}</select>
        <button class="plain" type="submit">Let in</button></form>
      <h3>Teams</h3>
      <p>${teams.length === 0 ? "none yet" : teams.join(", ")}</p>
      <form class="one" @submit=${this.addTeam}><input name="team" aria-label="Name of the team" placeholder="team" required maxlength="64" autocomplete="off" />
        <button class="plain" type="submit">Make a team</button></form>`;
  }

  private row({ name, team, role }: Person): TemplateResult {
    const tokens = this.known?.tokens[name] ?? 0;
    const change = (event: Event): void => {
      const field = event.target as HTMLSelectElement;
      const wanted = field.value as Person["role"];
      field.value = role; // what is shown is what the station says
      void this.change(`${name} is ${wanted} now.`, "set_role", { name, role: wanted });
    };
    return html`<tr><td>${name}<small class="quiet">${team === null ? "no team" : `team ${team}`}</small></td>
      <td><select aria-label="Role of ${name}" @change=${change}>${ROLES.map((one) => html`<option .selected=${one === role}>${one}</option>`)}</select></td>
      <td><span class="number">${tokens}</span> <button aria-label="Revoke all tokens of ${name}" ?disabled=${tokens === 0}
        @click=${() => void this.change(`${name} has to log in again.`, "revoke_tokens", { name })}>Revoke</button></td></tr>`;
  }

  private addPerson(event: SubmitEvent): void {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const { name = "", password = "", team = "", role = "observer" } = Object.fromEntries(new FormData(form)) as Partial<AddPerson>;
    void this.change(`${name} may log in now.`, "add_person", { name, password, team: team === "" ? null : team, role }, form);
  }

  private addTeam(event: SubmitEvent): void {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const { team = "" } = Object.fromEntries(new FormData(form)) as Record<string, string>;
    void this.change(`There is a team ${team} now.`, "add_team", { team }, form);
  }

  private async change<Name extends keyof Operations>(
    done: string, operation: Name, request: Operations[Name]["asks"], form?: HTMLFormElement,
  ): Promise<void> {
    this.why = this.done = "";
    try {
      await this.station.api.call(operation, request);
      form?.reset();
      this.done = done;
    } catch (error) {
      this.why = said(error);
    }
    await this.look();
  }

  private async look(): Promise<void> {
    try {
      this.known = await this.station.api.call("list_people", {});
    } catch (error) {
      [this.known, this.why] = [null, said(error)];
    }
  }
}

function own({ name, team, role }: Person): TemplateResult {
  return html`<dl><dt>name</dt><dd>${name}</dd><dt>team</dt><dd>${team ?? "none"}</dd><dt>role</dt><dd>${role}: ${MAY[role]}</dd></dl>
    <p class="quiet">A super-user lets people in, gives roles, and reads what was asked of the station.</p>`;
}
