// Joins the terminal's bytes to events, and calls back for an Esc that nothing follows.

import type { InputEvent } from "../input/event.ts";
import { InputReader } from "../input/reader.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** Returns a function that stops listening. */
export function listenToKeys(
  terminal: Pick<Terminal, "onInput">,
  now: () => number,
  take: (events: readonly InputEvent[]) => void,
): () => void {
  const reader = new InputReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const give = (events: readonly InputEvent[]) => {
    if (events.length > 0) take(events);
    clearTimeout(timer);
    const due = reader.dueAt();
    timer = due === undefined ? undefined : setTimeout(() => give(reader.flush(now())), Math.max(1, due - now()));
  };
  const stop = terminal.onInput((chunk) => give(reader.push(chunk, now())));
  return () => {
    clearTimeout(timer);
    stop();
  };
}
