// The shared task list of a session. Its tools are loaded when they are offered or first called.

import type { HookEvent, HookOutcome, JsonObject } from "@keelson/protocol";
import type { SessionState } from "../session/state.ts";
import { isSharedListTool, needsSharedList } from "./which-list.ts";

/** The team that a session leads or is a member of. */
export interface TeamOfSession {
  readonly name: string;
  /** The session's own name in it. */
  readonly self: string;
  /** Someone was given a task. */
  assigned(task: { readonly id: string; readonly subject: string; readonly description: string }, to: string): void;
}

export interface SharedListParts {
  readonly state: SessionState;
  sessionId(): string;
  team(): TeamOfSession | undefined;
  fire(event: HookEvent, input: JsonObject): Promise<HookOutcome>;
  warn(text: string): void;
}

export interface SharedList {
  /** Adds the tools to the session's if they are needed from the start. */
  begin(): Promise<void>;
  /** Loads the tools if a call needs them. */
  awaitTool(name: string): Promise<void> | undefined;
}

export function openSharedList(parts: SharedListParts): SharedList {
  const { state } = parts;
  let added: Promise<void> | undefined;
  const add = async () => {
    const { sharedListTools } = await import("./list-tools.ts");
    state.allTools = [...state.allTools, ...sharedListTools(parts)];
  };
  return {
    begin: async () => void (needsSharedList(state.snapshot) && (await (added ??= add()))),
    awaitTool: (name) => (isSharedListTool(name) ? (added ??= add()) : undefined),
  };
}
