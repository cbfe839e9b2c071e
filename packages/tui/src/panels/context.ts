// What panels get from the screen around them, and what they hand back when they close.

import type { ListedCommand } from "@keelson/protocol";
import type { TerminalHost, WhichSession } from "../host.ts";
import type { RewindPoint } from "../pickers/rewind.ts";
import type { OfferedTheme } from "../pickers/theme-picker.ts";
import type { Panel } from "../screen/view.ts";
import type { AgentTalk } from "../stream/agent-talks.ts";
import type { StreamItem } from "../stream/item.ts";
import type { Requests } from "@keelson/client";
import type { Theme } from "../theme/theme.ts";
import type { RenderMarkdown } from "../viewer/section.ts";
import type { KeyLookup } from "../widgets/key-lookup.ts";

/** A task in the background, running or ended. */
export interface PanelTask {
  readonly id: string;
  /** `local_bash`, `local_agent`, `monitor`, `wakeup` … */
  readonly type: string;
  readonly description: string;
  /** What an agent was asked, or a wake-up will ask. */
  readonly prompt?: string;
  /** Absent: it runs. */
  readonly status?: string;
  /** Milliseconds. */
  readonly startedMs?: number;
}

export interface PanelContext {
  readonly requests: Requests;
  readonly host: TerminalHost;
  readonly keys: KeyLookup;
  /** Something arrived that changes the picture. */
  redraw(): void;
  /** Rendered when it is shown, so it is loaded by then. */
  readonly markdown: RenderMarkdown;
  /** All commands that can be typed, those of panels included. */
  commands(): readonly ListedCommand[];
  /** Prompts of this conversation, oldest first. */
  prompts(): readonly RewindPoint[];
  /** What is kept of the conversation, oldest first. */
  items(): readonly StreamItem[];
  tasks(): readonly PanelTask[];
  /** All agents of this session, those that have ended included, oldest first. */
  agents(): readonly AgentTalk[];
  /** The last answer, as Markdown; empty if there is none. */
  lastAnswer(): string;
  readonly sessionId: string;
  /** Settings in force on the screen, which may have changed since the start. */
  setting(key: string): unknown;
  readonly themes: readonly OfferedTheme[];
  themeNamed(name: string): Theme;
}

/** What the screen does after a panel closed. */
export type PanelEffect =
  /** As if it had been typed and sent. */
  | { readonly kind: "send"; readonly prompt: string }
  /** Put into the input, not sent. */
  | { readonly kind: "draft"; readonly text: string }
  | { readonly kind: "switch-session"; readonly which: WhichSession; readonly cwd?: string }
  /** The conversation was cut: what is on the screen below the point is no longer part of it. */
  | { readonly kind: "rewound"; readonly point: RewindPoint }
  /** `start` is what the file has if there is none yet. */
  | { readonly kind: "edit-file"; readonly path: string; readonly start?: string }
  /** To the clipboard. */
  | { readonly kind: "copy"; readonly text: string }
  /** It is in the settings already; the screen reads it again. `value` undefined: the key was removed. */
  | { readonly kind: "setting"; readonly key: string; readonly value: unknown };

export interface PanelEnd {
  /** One line for the transcript. */
  readonly note?: string;
  readonly effects?: readonly PanelEffect[];
  /** The rest, once a request was answered; never rejects. Show `note` until then. */
  readonly later?: Promise<PanelEnd>;
}

/** A command either shows a panel, or is done at once. */
export type OpenedPanel = { readonly panel: Panel<PanelEnd> } | { readonly end: PanelEnd };

/** Does something that ends in a line for the user, whether it works or not. `doing` is for what takes long. */
export function finishing(work: Promise<PanelEnd>, doing?: string): PanelEnd {
  const later = work.catch((error: unknown) => ({ note: `Failed: ${errorText(error)}` }));
  return doing === undefined ? { later } : { note: doing, later };
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
