// The operations of a station, as its HTTP interface has them: a JSON object each way, with the token of who asks.
// What the station refuses comes back as `Refused`, with its sentence.

import { Refused } from "../actions/actions";
import type { Operations } from "../types";

export interface Refusal {
  error?: string;
  reason?: string;
}

// Somebody else chose this password: the station wants another with it.
export class FirstPassword extends Refused {}

export class StationApi {
  token: string | null = null;
  onUnknown: (sentence: string) => void = () => undefined; // the token is worth nothing any more

  async call<Name extends keyof Operations>(
    operation: Name, request: Operations[Name]["asks"], isUrgent = false,
  ): Promise<Operations[Name]["answers"]> {
    const token = this.token;
    let answer: Response;
    try {
      answer = await fetch(`v1/${operation}`, {
        method: "POST", cache: "no-store", body: JSON.stringify(request), priority: isUrgent ? "high" : "auto",
        headers: { "Content-Type": "application/json", ...(token === null ? {} : { Authorization: `Bearer ${token}` }) },
      });
    } catch {
      throw new Refused("The station does not answer; nothing was done as far as is known.");
    }
    if (answer.ok) return (await answer.json()) as Operations[Name]["answers"];
    const { error, reason } = (await answer.json().catch(() => ({}))) as Refusal;
    const sentence = asSentence(error ?? `the station answers with status ${answer.status}`);
    if (answer.status === 401 && token !== null && token === this.token) this.onUnknown(sentence);
    throw reason === "first_password" ? new FirstPassword(sentence) : new Refused(sentence);
  }
}

// The station's sentences begin with a small letter and end without a stop.
export function asSentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? "" : "."}`;
}
