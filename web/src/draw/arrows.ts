// Which messages went from whom to whom, and when? Sendings and arrivals are brought together by the message's number.

import type { Happening } from "../run/digest";

export interface Arrow {
  sender: number;
  receiver: number;
  type: string;
  begun: number;
  over: number;
  isDropped: boolean;
}

export function arrowsOf(happenings: readonly Happening[]): Arrow[] {
  const sendings = new Map<number, Happening>();
  const arrows: Arrow[] = [];
  for (const one of happenings) {
    if (one.kind === "sent") sendings.set(one.message, one);
    if (one.kind !== "received" && one.kind !== "dropped") continue;
    const sending = sendings.get(one.message);
    if (sending === undefined || one.isFar) continue;
    arrows.push({
      sender: sending.body, receiver: one.body, type: sending.type, begun: sending.time, over: one.time,
      isDropped: one.kind === "dropped",
    });
  }
  return arrows;
}
