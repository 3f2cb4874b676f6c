// Who may use the station: for a super-user all of them, for a team head those of the team, with their teams, roles and tokens, to be
// changed here; for everybody the own account, with its password. What is shown and what may be done is the station's to say.

import { css, html, LitElement, nothing, type TemplateResult } from "lit";
import { customElement, property, state } from "lit/decorators.js";
import type { AddPerson, ChangePassword, Operations, People, Person } from "../types";
import type { Looker } from "./records";
import { said, type StationSession } from "./session";
import { controls } from "../panels/styles";

const MAY: Record<Person["role"], string> = {
  observer: "looks at everything of the own team",
  commander: "also gives tasks and code, stops robots, and lets robots enter",
  "team-head": "also sees to the people of the own team",
  "super-user": "does everything, for all teams",
};

@customElement("kumi-people")
export class PeoplePart extends LitElement {
  @property({ attribute: false }) station!: StationSession;
  @property({ type: Number }) tick = 0;
  @state() private known: People | null = null;
  @state() private why = "";
  @state() private done = "";
  @state() private chosen: string | null = null; // whose account is open
  @state() private isSure = false; // that this person is to be removed
  private asked = -1;

  static override styles = [controls, css`
    :host { display: block; } h3 { font-size: 13px; margin: 14px 0 4px; } p { margin: 4px 0; } .failed { color: var(--contact); }
    table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: 4px 6px 4px 0; vertical-align: middle; } td { overflow-wrap: anywhere; }
    th { font-weight: 400; color: var(--quiet); font-size: 12px; } tbody tr { border-top: 1px solid var(--line); }
    td:last-child { white-space: nowrap; text-align: right; } td small { display: block; }
    dl { display: grid; grid-template-columns: 60px 1fr; gap: 4px 10px; margin: 6px 0; } dt { color: var(--quiet); } dd { margin: 0; }
    form { display: grid; grid-template-columns: 1fr 1fr; gap: 6px; } form.one { grid-template-columns: 1fr auto; }
    input { min-height: 30px; padding: 0 8px; border: 1px solid var(--line); border-radius: 7px; background: var(--plane); min-width: 0; }
    button.name { text-align: left; padding: 0 4px; margin-left: -4px; overflow-wrap: anywhere; } ul { list-style: none; margin: 4px 0; padding: 0; } section form { margin: 6px 0; }
    li { display: flex; justify-content: space-between; align-items: center; gap: 6px; } li span { overflow-wrap: anywhere; }
    .plain { border: 1px solid var(--line); background: var(--plane); } form .plain { grid-column: 1 / -1; } form.one .plain { grid-column: auto; }
  `];

  protected override updated(): void {
    if (this.asked === this.station.rights || !this.station.isOverPeople) return;
    this.asked = this.station.rights;
    void this.look();
  }

  protected override render(): TemplateResult {
    const { person, isOverPeople } = this.station;
    if (person === null) return html``;
    return html`${this.why === "" ? nothing : html`<p role="alert" class="failed">${this.why}</p>`}
      <p role="status">${this.done}</p>
      ${isOverPeople ? this.all() : nothing}
      ${own(person)}
      <h3>Your password</h3>
      <form @submit=${this.changePassword}>
        <input name="password" aria-label="Your password" placeholder="present password" type="password" required autocomplete="current-password" />
        <input name="new_password" aria-label="Your new password" placeholder="new password" type="password" required minlength="8" autocomplete="new-password" />
        <button class="plain" type="submit">Change</button></form>`;
  }

  private all(): TemplateResult {
    if (this.known === null) return html`<p class="quiet">asking the station …</p>`;
    const { isSuperUser, person } = this.station;
    const { people } = this.known;
    const teams = isSuperUser ? this.known.teams : this.known.teams.filter((one) => one === person?.team);
    return html`<table aria-label="People"><thead><tr><th>name</th><th>role</th><th>tokens</th></tr></thead>
      <tbody>${people.map((one) => this.row(one))}</tbody></table>
      ${this.chosen === null ? nothing : this.oneOf(people, this.known.teams)}
      <h3>Let somebody in</h3>
      <form @submit=${this.addPerson}>
        <input name="name" aria-label="Name of the person" placeholder="name" required maxlength="64" autocomplete="off" />
        <input name="password" aria-label="Password of the person" placeholder="first password" type="password" required minlength="8" autocomplete="new-password" />
        <select name="team" aria-label="Team of the person">${isSuperUser ? html`<option value="">no team</option>` : nothing}${teams.map((team) => html`<option>${team}</option>`)}</select>
        <select name="role" aria-label="Role of the person">${this.roles.map((role) => html`<option>${role}</option>`)}</select>
        <button class="plain" type="submit">Let in</button></form>
      <h3>Teams</h3>
      ${teams.length === 0 ? html`<p>none yet</p>` : html`<ul aria-label="Teams">${teams.map((team) => html`<li><span>${team}</span>
        <button aria-label="Remove team ${team}" @click=${() => void this.change(`Team ${team} is gone.`, "remove_team", { team })}>Remove</button></li>`)}</ul>`}
      ${isSuperUser ? html`<form class="one" @submit=${this.addTeam}><input name="team" aria-label="Name of the team" placeholder="team" required maxlength="64" autocomplete="off" />
        <button class="plain" type="submit">Make a team</button></form>` : nothing}`;
  }

  // What can be done to the chosen person, besides what their row has.
  private oneOf(people: Person[], teams: string[]): TemplateResult {
    const found = people.find((one) => one.name === this.chosen);
    if (found === undefined) return html``;
    const { name, is_locked: isLocked, team } = found;
    const reset = (event: SubmitEvent): void => {
      const { form, fields } = filled<{ password: string }>(event);
      void this.change(`${name} logs in with that password, and then chooses another.`, "reset_password", { name, password: fields.password ?? "" }, form);
    };
    const move = (event: SubmitEvent): void => {
      const { form, fields } = filled<{ team: string }>(event);
      const wanted = fields.team ?? "";
      void this.change(({ is_moved: isMoved }) => isMoved ? `${name} is in team ${wanted} now.` : `${name} is offered to team ${wanted}; its head accepts that here.`,
        "move_person", { name, team: wanted }, form);
    };
    const remove = (): void => {
      if (this.isSure) void this.change(`${name} is gone.`, "remove_person", { name });
      this.isSure = !this.isSure;
    };
    return html`<section aria-label="Account of ${name}"><h3>${name}</h3>
      <form class="one" @submit=${reset}><input name="password" aria-label="First password of ${name}" placeholder="first password" type="password" required minlength="8" autocomplete="new-password" />
        <button class="plain" type="submit">Reset password</button></form>
      <form class="one" @submit=${move}><select name="team" aria-label="Other team of ${name}">${teams.filter((one) => this.mayMoveTo(one, team)).map((one) => html`<option>${one}</option>`)}</select>
        <button class="plain" type="submit">Move</button></form>
      <p>${isLocked
        ? html`<button @click=${() => void this.change(`${name} may log in again.`, "unlock_person", { name })}>Unlock ${name}</button>`
        : html`<button @click=${() => void this.change(`${name} is locked.`, "lock_person", { name })}>Lock ${name}</button>`}
        <button @click=${remove}>${this.isSure ? "Really remove" : "Remove"} ${name}</button></p></section>`;
  }

  // A team head offers somebody of the own team to another, or accepts whom another offers.
  private mayMoveTo(wanted: string, present: string | null): boolean {
    const { isSuperUser, person } = this.station;
    return wanted !== present && (isSuperUser || present === person?.team || wanted === person?.team);
  }

  private get roles(): Person["role"][] {
    const all = Object.keys(MAY) as Person["role"][];
    return this.station.isSuperUser ? all : all.filter((one) => one !== "super-user");
  }

  private row(person: Person): TemplateResult {
    const { name, role } = person;
    const tokens = this.known?.tokens[name] ?? 0;
    const change = (event: Event): void => {
      const field = event.target as HTMLSelectElement;
      const wanted = field.value as Person["role"];
      field.value = role; // what is shown is what the station says
      void this.change(`${name} is ${wanted} now.`, "set_role", { name, role: wanted });
    };
    return html`<tr><td><button class="name" aria-pressed=${this.chosen === name} @click=${() => { [this.chosen, this.isSure] = [this.chosen === name ? null : name, false]; }}>${name}</button>
        <small class="quiet">${standing(person)}</small></td>
      <td><select aria-label="Role of ${name}" @change=${change}>${this.roles.map((one) => html`<option .selected=${one === role}>${one}</option>`)}</select></td>
      <td><span class="number">${tokens}</span> <button aria-label="Revoke all tokens of ${name}" ?disabled=${tokens === 0}
        @click=${() => void this.change(`${name} has to log in again.`, "revoke_tokens", { name })}>Revoke</button></td></tr>`;
  }

  private changePassword(event: SubmitEvent): void {
    const { form, fields } = filled<ChangePassword>(event);
    const { password = "", new_password = "" } = fields;
    void this.change("Your password is changed; you are logged in here alone.", "change_password", { password, new_password }, form);
  }

  private addPerson(event: SubmitEvent): void {
    const { form, fields } = filled<AddPerson>(event);
    const { name = "", password = "", team = "", role = "observer" } = fields;
    void this.change(`${name} may log in now, and then chooses another password.`, "add_person", { name, password, team: team === "" ? null : team, role }, form);
  }

  private addTeam(event: SubmitEvent): void {
    const { form, fields } = filled<{ team: string }>(event);
    const { team = "" } = fields;
    void this.change(`There is a team ${team} now.`, "add_team", { team }, form);
  }

  private async change<Name extends keyof Operations>(
    done: string | ((answer: Operations[Name]["answers"]) => string), operation: Name, request: Operations[Name]["asks"], form?: HTMLFormElement,
  ): Promise<void> {
    this.why = this.done = "";
    try {
      const answer = await this.station.api.call(operation, request);
      form?.reset();
      this.done = typeof done === "string" ? done : done(answer);
    } catch (error) {
      this.why = said(error);
    }
    if (this.station.isOverPeople) await this.look();
  }

  private async look(): Promise<void> {
    try {
      this.known = await this.station.api.call("list_people", {});
    } catch (error) {
      [this.known, this.why] = [null, said(error)];
    }
  }
}

// What a form holds, which is not sent by the browser.
function filled<Fields>(event: SubmitEvent): { form: HTMLFormElement; fields: Partial<Fields> } {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  return { form, fields: Object.fromEntries(new FormData(form)) as Partial<Fields> };
}

function standing({ team, is_locked, has_first_password, moves_to }: Person): string {
  const found = [team === null ? "no team" : `team ${team}`];
  if (is_locked) found.push("locked");
  if (has_first_password) found.push("first password");
  if (moves_to !== null) found.push(`offered to team ${moves_to}`);
  return found.join(", ");
}

function own({ name, team, role }: Looker): TemplateResult {
  return html`<h3>Your account</h3><dl><dt>name</dt><dd>${name}</dd><dt>team</dt><dd>${team ?? "none"}</dd><dt>role</dt><dd>${role}: ${MAY[role]}</dd></dl>
    <p class="quiet">The head of a team, or a super-user, lets people in, gives roles, and helps who forgot the password.</p>`;
}
