// A key without an action: it edits the draft, or turns the prompt into one for a shell command or a note.

import type { Key } from "../input/event.ts";
import { spellKey } from "../keys/keystroke.ts";
import type { PromptDraft } from "./draft.ts";
import type { Editing } from "./editing.ts";

export type TypedKey =
  /** `?` on an empty prompt. */
  | "shortcuts"
  /** A placeholder went, and what depended on the text starts anew. */
  | "replaced"
  /** The text is another one: completion follows. */
  | "edited"
  | "nothing";

export function typeKey(key: Key, draft: PromptDraft, editing: Editing): TypedKey {
  const { buffer } = draft;
  if (buffer.isEmpty && draft.mode === "prompt" && !key.ctrl && !key.alt) {
    if (key.text === "?") return "shortcuts";
    if (key.text === "!" || key.text === "#") {
      draft.mode = key.text === "!" ? "shell" : "memory";
      return "nothing";
    }
  }
  const chord = spellKey(key);
  if (chord === "backspace") {
    if (buffer.cursor.line === 0 && buffer.cursor.offset === 0 && draft.mode !== "prompt") {
      draft.mode = "prompt";
      return "nothing";
    }
    if (draft.removePlaceholder("before")) return "replaced";
  }
  if (chord === "delete" && draft.removePlaceholder("after")) return "replaced";
  return editing.take(key) ? "edited" : "nothing";
}
