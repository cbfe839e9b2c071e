// Joins the terminal's bytes to events, and calls back for an Esc that nothing follows.

import type { InputEvent } from "../input/event.ts";
import { InputReader } from "../input/reader.ts";
import { writesText } from "../keys/deliberate.ts";
import type { HeldKey } from "../keys/held-key.ts";
import type { Terminal } from "../terminal/terminal.ts";

const writes = (event: InputEvent) => event.kind === "paste" || (event.kind === "key" && writesText(event));

const markText = (event: InputEvent): InputEvent =>
  event.kind === "key" && writesText(event) ? { ...event, inText: true } : event;

interface KeyListener {
  now(): number;
  readonly held: HeldKey;
  /** What has the keys. */
  focus?(): unknown;
  /** Keys were pressed, also if they are given later. */
  pressed?(): void;
  take(events: readonly InputEvent[]): void;
}

/** Returns a function that stops listening. */
export function listenToKeys(
  terminal: Pick<Terminal, "onInput">,
  { now, held, focus, pressed, take }: KeyListener,
): () => void {
  const reader = new InputReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const give = (events: readonly InputEvent[]) => {
    const marked = events.filter(writes).length > 1 ? events.map(markText) : events;
    if (marked.some(writes)) pressed?.();
    const passed = marked.flatMap((event) => held.take(event, now(), focus?.()));
    if (passed.length > 0) take(passed);
    clearTimeout(timer);
    const due = Math.min(reader.dueAt() ?? Infinity, held.dueAt() ?? Infinity);
    timer = due === Infinity ? undefined : setTimeout(late, Math.max(1, due - now()));
  };
  const late = () => {
    const released = held.flush(now(), focus?.());
    if (released.length > 0) take(released);
    give(reader.flush(now()));
  };
  const stop = terminal.onInput((chunk) => give(reader.push(chunk, now())));
  return () => {
    clearTimeout(timer);
    stop();
  };
}
