// Joins the terminal's bytes to events, and calls back for an Esc that nothing follows.

import type { InputEvent } from "../input/event.ts";
import { InputReader } from "../input/reader.ts";
import { writesText } from "../keys/deliberate.ts";
import type { Terminal } from "../terminal/terminal.ts";

const writes = (event: InputEvent) => event.kind === "paste" || (event.kind === "key" && writesText(event));

const markText = (event: InputEvent): InputEvent =>
  event.kind === "key" && writesText(event) ? { ...event, inText: true } : event;

/** Returns a function that stops listening. */
export function listenToKeys(
  terminal: Pick<Terminal, "onInput">,
  now: () => number,
  take: (events: readonly InputEvent[]) => void,
): () => void {
  const reader = new InputReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const give = (events: readonly InputEvent[]) => {
    if (events.length > 0) take(events.filter(writes).length > 1 ? events.map(markText) : events);
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
