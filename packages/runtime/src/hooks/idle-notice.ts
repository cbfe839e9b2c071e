// Tells Notification hooks that the session has been waiting for the user for a while.

import type { SessionHooks } from "./session-hooks.ts";

const WAIT_MS = 60_000;

export interface IdleNotice {
  /** The session waits for input. */
  wait(): void;
  /** A run begins, or the session ends. */
  stop(): void;
}

/** Nothing is set up while no hook wants to know. */
export function idleNotice({ fire, registered }: Pick<SessionHooks, "fire" | "registered">): IdleNotice {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    stop,
    wait() {
      stop();
      if (!registered().some(({ event }) => event === "Notification")) return;
      const about = { message: "Keelson is waiting for your input", notification_type: "idle_prompt" };
      timer = setTimeout(() => void fire("Notification", about), WAIT_MS);
      timer.unref();
    },
  };
}
