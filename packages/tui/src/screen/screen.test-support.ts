// A screen in front of an emulator, in one process: what it writes is on the screen at once, and so are the answers.

import { makeEmulator } from "@keelson/testkit/terminal";
import { Screen, type ScreenOptions } from "./screen.ts";
import type { TerminalReply } from "../input/event.ts";
import type { Rendered } from "./view.ts";

export function testScreen(
  columns: number,
  rows: number,
  options: Partial<ScreenOptions> & { readonly answers?: boolean } = {},
) {
  const emulator = makeEmulator({ columns, rows, scrollback: 100_000 });
  const written: string[] = [];
  const waiting: { readonly callback: () => void; readonly at: number }[] = [];
  const resizeListeners = new Set<() => void>();
  let live: Rendered = { rows: [] };
  let now = 0;
  let done = Promise.resolve();
  const replies: string[] = [];
  let held: string[] | undefined;
  const arrive = (text: string) => void (done = new Promise((resolve) => emulator.write(text, resolve)));
  emulator.onReply((text) => replies.push(text));

  const screen = new Screen({
    terminal: {
      get columns() {
        return emulator.columns;
      },
      get rows() {
        return emulator.rows;
      },
      write(text) {
        written.push(text);
        if (held) held.push(text);
        else arrive(text);
      },
      onResize(listener) {
        resizeListeners.add(listener);
        return () => resizeListeners.delete(listener);
      },
    },
    draw: () => live,
    now: () => now,
    schedule(callback, ms) {
      const entry = { callback, at: now + ms };
      waiting.push(entry);
      return () => {
        const at = waiting.indexOf(entry);
        if (at >= 0) waiting.splice(at, 1);
      };
    },
    ...options,
  });
  screen.reply({ kind: "reply", of: "attributes", text: ">0;276;0" });

  /** Lets time pass and calls what is due. */
  const advance = (ms: number) => {
    now += ms;
    for (const entry of waiting.filter(({ at }) => at <= now)) {
      waiting.splice(waiting.indexOf(entry), 1);
      entry.callback();
    }
  };

  /** What was written has arrived, and the answers to it are here. */
  const reply = async () => {
    await done;
    for (const text of replies.splice(0)) {
      const at = /^\x1b\[(\d+;\d+)R$/.exec(text);
      if (at && options.answers !== false) {
        screen.reply({ kind: "reply", of: "cursor", text: at[1]! } satisfies TerminalReply);
      }
    }
    await done;
  };

  return {
    screen,
    emulator,
    reply,
    written,
    waiting,
    /** From now on, what is written is on its way, until it is released. */
    hold() {
      held = [];
    },
    release() {
      held?.forEach(arrive);
      held = undefined;
    },
    show(rendered: Rendered) {
      live = rendered;
    },
    advance,
    resize(newColumns: number, newRows: number) {
      emulator.resize(newColumns, newRows);
      for (const listener of resizeListeners) listener();
    },
    /** Everything written is on the screen, and the answers have arrived. */
    async settled() {
      for (let last = -1; last !== written.length;) {
        last = written.length;
        await reply();
        if (waiting.length > 0 && replies.length === 0) advance(320);
      }
    },
    /** The whole buffer without what is blank at its end. */
    lines() {
      const lines = emulator.scrollback({ joined: true });
      while (lines.at(-1) === "") lines.pop();
      return lines;
    },
  };
}
