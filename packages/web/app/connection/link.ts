// A socket to the server that connects again by itself, for as long as it is wanted.

import { tryParse } from "@keelson/protocol";
import { api, ApiError } from "./api.ts";
import { token } from "./device.ts";

export interface LinkListener {
  /** A connection begins; what was asked for on the one before it is void. */
  began(): void;
  line(line: unknown): void;
  /** `why` if it will not connect again. */
  lost(why?: string): void;
  /** Before it connects again. A browser does not say why it could not; a request does. Absent: a small one. */
  ask?(signal: AbortSignal): Promise<void>;
}

const NO_SESSION = 4004;
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000];
/** The server says something every 20 seconds. */
const SILENCE_MS = 30_000;
const LOOK_MS = 5_000;
/** What is not answered by then, nobody answers. */
const ANSWER_MS = 10_000;

export class ServerLink {
  readonly #path: () => string;
  readonly #listener: LinkListener;
  readonly #again = () => this.#retryNow();
  readonly #looking = setInterval(() => this.#cutIfSilent(), LOOK_MS);
  #socket: WebSocket | undefined;
  #failures = 0;
  #heardMs = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(path: () => string, listener: LinkListener) {
    this.#path = path;
    this.#listener = listener;
    addEventListener("online", this.#again);
    addEventListener("offline", this.#cut);
    document.addEventListener("visibilitychange", this.#again);
    this.#connect();
  }

  /** False if there is no connection. */
  send(text: string): boolean {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(text);
    return true;
  }

  /** Connects anew, if it is connected. */
  restart(): void {
    if (this.#isClosed || this.#socket === undefined) return;
    this.#cut();
    this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#looking);
    removeEventListener("online", this.#again);
    removeEventListener("offline", this.#cut);
    document.removeEventListener("visibilitychange", this.#again);
    this.#socket?.close();
  }

  #connect(): void {
    const address = new URL(this.#path(), location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    address.hash = "";
    const socket = new WebSocket(address, ["keelson.v1", `bearer.${token.value ?? ""}`]);
    this.#socket = socket;
    this.#heardMs = Date.now();
    socket.addEventListener("open", () => this.#socket === socket && this.#listener.began());
    socket.addEventListener("message", ({ data }) => {
      if (this.#socket !== socket) return;
      this.#failures = 0;
      this.#heardMs = Date.now();
      this.#listener.line(tryParse(String(data)));
    });
    socket.addEventListener("close", ({ code, reason }) => this.#socket === socket && this.#ended(code, reason));
  }

  readonly #cut = () => {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    if (!this.#isClosed) this.#listener.lost();
  };

  /** Something between us and the server may have let go of the connection without a word. */
  #cutIfSilent(): void {
    if (this.#socket === undefined) return;
    const isConnecting = this.#socket.readyState === WebSocket.CONNECTING;
    if (Date.now() - this.#heardMs < (isConnecting ? ANSWER_MS : SILENCE_MS)) return;
    this.#cut();
    this.#retrySoon();
  }

  #ended(code: number, reason: string): void {
    this.#socket = undefined;
    if (this.#isClosed) return;
    if (code === NO_SESSION) {
      this.close();
      return this.#listener.lost(reason || "There is no such session");
    }
    this.#listener.lost();
    this.#retrySoon();
  }

  #retrySoon(): void {
    const pause = PAUSES_MS[Math.min(this.#failures++, PAUSES_MS.length - 1)]!;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#retry(), pause);
  }

  async #retry(): Promise<void> {
    this.#timer = undefined;
    try {
      const signal = AbortSignal.timeout(ANSWER_MS);
      await (this.#listener.ask?.(signal) ?? api("GET", "/v1/server", { signal }));
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return;
    }
    if (!this.#isClosed && this.#socket === undefined) this.#connect();
  }

  #retryNow(): void {
    if (document.hidden || this.#isClosed) return;
    this.#cutIfSilent();
    if (this.#socket !== undefined) return;
    clearTimeout(this.#timer);
    this.#failures = 0;
    void this.#retry();
  }
}
