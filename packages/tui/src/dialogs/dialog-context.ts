// What dialogs get from the terminal around them, and what they give back.

import type { FilePatch, JsonObject } from "@keelson/protocol";
import type { Panel } from "../screen/view.ts";
import type { Theme } from "../theme/theme.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";

export interface DialogContext {
  readonly cwd: string;
  readonly home: string;
  readonly keys: KeyLookup;
  /** When the dialog appears, and when the last key was pressed before. Milliseconds. */
  readonly openedAt: number;
  readonly lastKeyAt?: number;
  /** Whether a prompt is half written: the next Enter may be meant for it. */
  isTyping?(): boolean;
  /** For screen readers: no rules and no bars. */
  readonly plain?: boolean;
  /** What decides about a call: the words of `keelson permissions explain`. Undefined if nothing can be said. */
  explain?(call: { readonly tool: string; readonly input: JsonObject }): Promise<string | undefined>;
  /** Something arrived that changes the picture. */
  redraw?(): void;
  /** The plan after the user edited it. */
  readonly plan?: string;
  /** The numbered rows of a change. Its texts are not clean. */
  diff(patch: FilePatch, columns: number, theme: Theme): readonly string[];
  /** Rows of a Markdown text that is not clean. */
  markdown(text: string, columns: number, theme: Theme): readonly string[];
}

export type DialogEffect =
  /** Send it as the user's words; it reaches the model with the result of the call. */
  { readonly kind: "prompt"; readonly text: string } | { readonly kind: "open-url"; readonly url: string };

export type DialogAnswer =
  /** The payload of the control response, and what to do besides. */
  | { readonly kind: "reply"; readonly response: JsonObject; readonly effects: readonly DialogEffect[] }
  /** Not an answer yet: let the user edit the plan, then open the dialog again with `plan` in its context. */
  | { readonly kind: "edit-plan"; readonly plan: string; readonly path?: string };

export interface Dialog extends Panel<DialogAnswer> {
  /** The dialog came up under the user's fingers: keys still belong to what was there before. */
  holdsKeys(now: number): boolean;
  /** A key went elsewhere: someone still types. */
  held(now: number): void;
}

export function reply(response: JsonObject, ...effects: readonly DialogEffect[]): DialogAnswer {
  return { kind: "reply", response, effects };
}

/** A plain "no": the call is not made, and the turn ends. */
export function plainNo(): DialogAnswer {
  return reply({ behavior: "deny", message: STOP, interrupt: true });
}

const STOP = "The call was not made. Stop here and wait until the user says how to continue.";
