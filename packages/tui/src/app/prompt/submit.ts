// What a submitted draft stands for: an end, a panel of the terminal, a shell command, a memory note, or a prompt.

import type { ContentBlock, ModelMessage } from "@keelson/protocol";
import type { PastedImage } from "../../host.ts";

export interface Draft {
  readonly mode: "prompt" | "shell" | "memory";
  /** Complete: pastes are in their places. */
  readonly text: string;
  readonly images: readonly PastedImage[];
}

export type Submission =
  | { readonly kind: "exit" }
  | { readonly kind: "panel"; readonly command: string; readonly args: string }
  | { readonly kind: "shell"; readonly command: string }
  | { readonly kind: "memory"; readonly text: string }
  | { readonly kind: "prompt"; readonly content: ModelMessage["content"] };

const EXIT = ["exit", "quit"];

/** `isPanel`: whether the terminal itself answers a command. */
export function readSubmission(draft: Draft, isPanel: (command: string, args: string) => boolean): Submission {
  const text = draft.text.trim();
  if (draft.mode === "shell") return { kind: "shell", command: text };
  if (draft.mode === "memory") return { kind: "memory", text };
  const typed = /^\/([\w:-]+)(?:\s+([\s\S]*))?$/.exec(text);
  if (typed && draft.images.length === 0) {
    const [, command = "", args = ""] = typed;
    if (EXIT.includes(command)) return { kind: "exit" };
    if (isPanel(command, args.trim())) return { kind: "panel", command, args: args.trim() };
  }
  if (EXIT.includes(text)) return { kind: "exit" };
  return { kind: "prompt", content: contentOf(draft) };
}

function contentOf({ text, images }: Draft): ModelMessage["content"] {
  if (images.length === 0) return text;
  const pictures = images.map(({ mediaType, base64 }): ContentBlock => ({
    type: "image",
    source: { type: "base64", media_type: mediaType, data: base64 },
  }));
  return [{ type: "text", text }, ...pictures];
}
