// The states of sessions that other programs have open. They are watched while someone looks at the list; a watcher leaves an
// idle session, so as not to keep it open, and comes back when its transcript changes.

import { isResult, type Outbound } from "@keelson/protocol";
import type { IndexedSession } from "@keelson/store/session-index";
import type { WebSession } from "@keelson/web";
import type { SessionsHere } from "../../open.ts";

const RESTS_MS = 30_000;
/** After it could not be joined. */
const AGAIN_MS = 10_000;
const MOST = 50;

interface Watched {
  state: WebSession["state"];
  /** Its transcript, when it was seen last. */
  modified: number;
  timer?: NodeJS.Timeout;
  leave?: () => void;
  /** Not to be joined before. */
  readonly notBefore: number;
}

export class SessionsElsewhere {
  readonly #sessions: SessionsHere;
  readonly #configDir: string;
  readonly #changed: () => void;
  readonly #watched = new Map<string, Watched>();

  /** `changed` is called when a state has. */
  constructor(sessions: SessionsHere, configDir: string, changed: () => void) {
    this.#sessions = sessions;
    this.#configDir = configDir;
    this.#changed = changed;
  }

  /** The last known state. */
  stateOf(session: IndexedSession): WebSession["state"] {
    const { id, modified } = session;
    const known = this.#watched.get(id);
    if (known?.leave) {
      known.modified = modified;
      return known.state;
    }
    if (known && (known.modified === modified || Date.now() < known.notBefore)) return known.state;
    if (this.#watched.size >= MOST && known === undefined) return "elsewhere";
    const watched: Watched = { state: known?.state ?? "elsewhere", modified, notBefore: Date.now() + AGAIN_MS };
    this.#watched.set(id, watched);
    void this.#watch(session, watched).catch(() => undefined);
    return watched.state;
  }

  /** No program has it open any more. */
  forget(id: string): void {
    const watched = this.#watched.get(id);
    clearTimeout(watched?.timer);
    watched?.leave?.();
    this.#watched.delete(id);
  }

  close(): void {
    for (const id of this.#watched.keys()) this.forget(id);
  }

  async #watch({ id, path }: IndexedSession, watched: Watched): Promise<void> {
    const session = await this.#sessions.joinElsewhere({ id, path }, this.#configDir);
    if (session === undefined) return;
    const leave = () => void session.close("terminate").catch(() => undefined);
    if (this.#watched.get(id) !== watched) return leave();
    watched.leave = leave;
    const view = { streamEvents: true };
    const client = session.attach({ name: "keelson web", role: "watcher", view, whenSlow: "drop" });
    try {
      for await (const message of client.messages) {
        const state = stateAfter(message) ?? watched.state;
        if (state !== watched.state) {
          watched.state = state;
          this.#changed();
        }
        clearTimeout(watched.timer);
        if (watched.state === "idle") watched.timer = setTimeout(leave, RESTS_MS);
      }
    } finally {
      clearTimeout(watched.timer);
      delete watched.leave;
    }
  }
}

function stateAfter(message: Outbound): WebSession["state"] | undefined {
  if (message.type === "stream") return message.subtype === "hello" ? message.state : undefined;
  if (message.type === "system" && message.subtype === "session_state_changed") return message.state;
  // Sessions of programs say no more about their state.
  if (message.type === "system" && message.subtype === "init") return "running";
  return isResult(message) ? "idle" : undefined;
}
