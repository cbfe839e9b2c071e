// The panel of `?`: what keys do, with the keys they have now.

import type { Bindings } from "../keys/bindings.ts";
import type { Frame } from "../screen/view.ts";
import { fit, width } from "../screen/rows.ts";

export interface Shortcut {
  readonly key: string;
  readonly text: string;
}

/** Signs first, then actions by how often they are needed. Actions without a key are left out. */
export function shortcuts(bindings: Bindings): Shortcut[] {
  const chat = (action: string, text: string): Shortcut => ({ key: bindings.keyFor("Chat", action), text });
  const global = (action: string, text: string): Shortcut => ({ key: bindings.keyFor("Global", action), text });
  const cancel = bindings.keyFor("Chat", "chat:cancel");
  return [
    { key: "/", text: "commands" },
    { key: "@", text: "files and agents" },
    { key: "!", text: "shell command" },
    { key: "#", text: "memory note" },
    chat("chat:newline", "new line"),
    { key: `\\ ${bindings.keyFor("Chat", "chat:submit")}`, text: "new line" },
    { key: cancel === "" ? "" : `${cancel} ${cancel}`, text: "clear, or rewind" },
    chat("chat:cycleMode", "permission mode"),
    global("app:toggleTranscript", "transcript"),
    global("app:toggleTodos", "task list"),
    global("history:search", "search history"),
    { key: bindings.keyFor("Task", "task:background"), text: "run in the background" },
    chat("chat:stash", "put the draft aside"),
    chat("chat:externalEditor", "open in an editor"),
    chat("chat:imagePaste", "paste an image"),
    chat("chat:undo", "undo"),
    chat("chat:modelPicker", "model"),
    chat("chat:thinkingToggle", "thinking"),
    chat("chat:killAgents", "stop agents"),
    global("app:suspend", "suspend"),
    global("app:exit", "exit"),
  ].filter(({ key }) => key.trim() !== "");
}

/** The panel's rows, in as many columns as fit. */
export function shortcutRows(bindings: Bindings, frame: Frame): string[] {
  const entries = shortcuts(bindings);
  const keyWidth = Math.max(...entries.map(({ key }) => width(key)));
  const cell = keyWidth + 2 + Math.max(...entries.map(({ text }) => width(text))) + 3;
  const columns = Math.max(1, Math.min(3, Math.floor((frame.columns - 2) / cell)));
  const count = Math.ceil(entries.length / columns);
  const rows = Array.from({ length: count }, (_, row) => {
    const cells = Array.from({ length: columns }, (_column, column) => entries[column * count + row]);
    return `  ${cells.map((entry) => paintCell(entry, keyWidth, cell, frame)).join("")}`;
  });
  const room = Math.max(1, frame.rows);
  const left = rows.length - room + 1;
  const shown =
    rows.length <= room ? rows : [...rows.slice(0, room - 1), frame.theme.paint("dim", `  … ${left} more in /help`)];
  return shown.map((row) => fit(row.trimEnd(), frame.columns));
}

function paintCell(entry: Shortcut | undefined, keyWidth: number, cell: number, { theme }: Frame): string {
  if (!entry) return " ".repeat(cell);
  const key = entry.key + " ".repeat(keyWidth - width(entry.key) + 2);
  return (
    theme.paint("accent", key) +
    theme.paint("dim", entry.text) +
    " ".repeat(Math.max(0, cell - width(key) - width(entry.text)))
  );
}
