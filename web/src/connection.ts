// The way to the server: what a run is, its chunks, and one socket for what comes by itself. It is made again when it breaks.

import { unpacked } from "./run/chunk";
import type { Playing } from "./run/clock";
import type { Acting } from "./actions/actions";
import { embeddedChunk, embeddedRun } from "./embedded";
import type { MapTable } from "./draw/scenery";
import type { StationWord } from "./station/records";
import type { Description } from "./types";

export const FORMAT = 3; // of what goes over the wire

// What the page knows of a run before it shows it.
export type Meta = Omit<Description, "map"> & { map: MapTable };

export interface Clock {
  stamp: number;
  time: number;
  events: number;
  contacts: number;
  wall: number;
  pace: number | null; // that the run is to have; null where it goes as fast as it can
  late: number; // seconds on the wall by which it is behind that
  givenUp: number; // and those that it let go
  isOver: boolean;
}

export interface Receiver {
  opened(meta: Meta): void;
  acting(acting: Acting): void;
  lost(): void;
  refused(sentence: string): void;
  clock(clock: Clock): void;
  pong(sent: number, stamp: number): void;
  shared(playing: Playing, view: [number, number, number] | undefined): void;
  bytes(kind: number, time: number, bytes: Uint8Array): void;
  station(word: StationWord): void;
  token(): string | null; // what proves to a station who looks
  unknown(sentence: string): void; // it proves nothing any more
}

type Word =
  | ({ kind: "acting" } & Acting)
  | StationWord
  | ({ kind: "clock" } & Clock)
  | { kind: "pong"; sent: number; stamp: number }
  | ({ kind: "playing" } & Playing & { view?: [number, number, number] });

const SOONEST = 500; // milliseconds until the next try
const LATEST = 4000;
const NOT_KNOWN = 4401; // a station does not know who looks

export class Connection {
  private socket: WebSocket | null = null;
  private wait = SOONEST;
  private pings: ReturnType<typeof setInterval> | undefined;
  private isProved = false; // a station wants to know who looks

  constructor(private readonly receiver: Receiver, private readonly isTogether: boolean) {}

  async open(): Promise<void> {
    try {
      const own = embeddedRun();
      const meta = own ?? (await fetchRun());
      if (meta.format !== FORMAT) {
        this.receiver.refused("The server speaks another version of kumi than this page. Load the page again.");
        return;
      }
      this.isProved = meta.isStation;
      this.receiver.opened(meta);
      if (own === null) this.enter();
    } catch {
      this.again();
    }
  }

  // Listens, unless that is done already, or nobody has proved yet who looks.
  enter(): void {
    if (this.socket === null && (!this.isProved || this.receiver.token() !== null)) this.listen();
  }

  // Listens no more until somebody enters.
  leave(): void {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  say(word: object): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(word));
  }

  private listen(): void {
    const address = new URL("feed", location.href);
    address.protocol = address.protocol.replace("http", "ws");
    address.search = this.isTogether ? "?together" : "";
    const socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = SOONEST;
      if (this.isProved) this.say({ kind: "prove", token: this.receiver.token() });
      const ping = (): void => { this.say({ kind: "ping", sent: performance.now() / 1000 }); };
      // Several at first: while the page begins, answers are slow, and the quickest counts.
      for (const after of [0, 100, 200, 300, 400, 600]) setTimeout(ping, after);
      this.pings = setInterval(ping, 1000);
    };
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => { this.hear(event.data); };
    socket.onclose = ({ code, reason }) => {
      clearInterval(this.pings);
      if (this.socket !== socket) return;
      this.socket = null;
      if (code === NOT_KNOWN) this.receiver.unknown(reason);
      else this.again();
    };
    this.socket = socket;
  }

  private hear(data: string | ArrayBuffer): void {
    if (typeof data !== "string") {
      const view = new DataView(data);
      this.receiver.bytes(view.getUint8(0), view.getFloat64(1, true), new Uint8Array(data, 9));
      return;
    }
    const word = JSON.parse(data) as Word;
    if (word.kind === "clock") this.receiver.clock(word);
    else if (word.kind === "acting") this.receiver.acting(word);
    else if (word.kind === "pong") this.receiver.pong(word.sent, word.stamp);
    else if (word.kind === "playing") this.receiver.shared(word, word.view);
    else this.receiver.station(word);
  }

  private again(): void {
    this.receiver.lost();
    setTimeout(() => void this.open(), this.wait);
    this.wait = Math.min(this.wait * 1.5, LATEST);
  }
}

async function fetchRun(): Promise<Meta> {
  const answer = await fetch("run", { cache: "no-store" });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Meta;
}

export async function fetchChunk(number: number): Promise<Uint8Array> {
  if (embeddedRun() !== null) return embeddedChunk(number);
  const answer = await fetch(`chunk/${number}`, { cache: "no-store" });
  if (!answer.ok) throw new Error(await answer.text());
  return unpacked(new Uint8Array(await answer.arrayBuffer()));
}
