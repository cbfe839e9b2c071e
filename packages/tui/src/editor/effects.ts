// What the prompt asks the program to do. Everything else it does by itself.

import type { TypedPrompt } from "@keelson/protocol";
import type { PastedImage } from "../host.ts";

/** What the prompt is for: a message, a shell command (`!`), or a note for the memory file (`#`). */
export type PromptMode = "prompt" | "shell" | "memory";

export interface SubmittedImage {
  readonly id: number;
  readonly image: PastedImage;
}

export interface SubmitEffect {
  readonly kind: "submit";
  readonly mode: PromptMode;
  /** What was written, with pasted text in its place; images are still `[Image #1]`. Without the sign of the mode. */
  readonly text: string;
  /** For the history file: pastes are placeholders, and the sign of the mode comes first. */
  readonly line: Pick<TypedPrompt, "display" | "pastedContents">;
  /** In the order they are named in. */
  readonly images: readonly SubmittedImage[];
}

export type PromptEffect =
  | SubmitEffect
  /** A draft was thrown away: keep it in the history. */
  | { readonly kind: "discard"; readonly line: Pick<TypedPrompt, "display" | "pastedContents"> }
  /** Stop what runs. */
  | { readonly kind: "interrupt" }
  | { readonly kind: "exit" }
  | { readonly kind: "rewind" }
  | { readonly kind: "cycle-mode" }
  /** Give the result to `setText`. */
  | { readonly kind: "open-editor"; readonly text: string }
  /** Give the image to `insertImage`. */
  | { readonly kind: "paste-image" }
  /** Give each image to `imageRead`, or undefined if there is none. */
  | { readonly kind: "read-images"; readonly images: readonly { readonly id: number; readonly path: string }[] }
  /** Give the queued messages to `setText`. */
  | { readonly kind: "unqueue" }
  /** Give the line that was chosen to `setLine`. */
  | { readonly kind: "history-search" }
  | { readonly kind: "shortcuts" }
  | { readonly kind: "toggle-transcript" }
  | { readonly kind: "toggle-tasks" }
  | { readonly kind: "background" }
  | { readonly kind: "stop-agents" }
  | { readonly kind: "redraw" }
  | { readonly kind: "suspend" }
  | { readonly kind: "model-picker" }
  | { readonly kind: "toggle-thinking" }
  | { readonly kind: "toggle-fast" };

/** Actions of the bindings that only ask for something. */
export const ASKS: Readonly<Record<string, PromptEffect>> = {
  "app:redraw": { kind: "redraw" },
  "app:suspend": { kind: "suspend" },
  "app:toggleTodos": { kind: "toggle-tasks" },
  "app:toggleTranscript": { kind: "toggle-transcript" },
  "chat:clearInput": { kind: "redraw" },
  "chat:clearScreen": { kind: "redraw" },
  "chat:cycleMode": { kind: "cycle-mode" },
  "chat:fastMode": { kind: "toggle-fast" },
  "chat:imagePaste": { kind: "paste-image" },
  "chat:killAgents": { kind: "stop-agents" },
  "chat:modelPicker": { kind: "model-picker" },
  "chat:thinkingToggle": { kind: "toggle-thinking" },
  "task:background": { kind: "background" },
};
