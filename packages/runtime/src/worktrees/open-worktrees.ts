// The worktrees of a session: the one it works in, and those of its subagents. What does the work is loaded on first use.

import { ToolError } from "@keelson/engine";

import type { WorktreeKeeper } from "@keelson/tools";
import type { Machine } from "../machine/machine.ts";
import type { Gate } from "../gate/gate.ts";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { SessionInstructions } from "../instructions/instructions.ts";
import { OpenError } from "../session/place.ts";
import type { Storage } from "../session/storage.ts";
import type { IsolatedWorktree, IsolateOptions } from "./isolate.ts";
import type { SessionWorktree } from "./session-worktree.ts";

export interface WorktreeParts {
  readonly storage: Storage;
  readonly gate: Gate;
  readonly hooks: Pick<SessionHooks, "fire" | "hasHooksFor">;
  readonly confine: Machine["confine"];
  /** Loads the instructions of the folder where the session works now. */
  loadInstructions(): Promise<SessionInstructions>;
}

export interface WorktreeStage {
  /** For the tools EnterWorktree and ExitWorktree, which only the session itself may use. */
  readonly keeper: WorktreeKeeper;
  /** A worktree for one subagent. Rejects with an error that says why there is none. */
  isolate(options: IsolateOptions): Promise<IsolatedWorktree>;
  /** Enters the worktree of `--worktree`, or the one that a resumed session was in. Throws OpenError. */
  start(): Promise<void>;
  /** Call before each run: the transcript says where the session is. */
  beforeRun(): void;
  /** Call before the hooks end. */
  beforeEnd(): Promise<void>;
  /** Call when nothing of the session runs any more. */
  close(): Promise<void>;
}

export function openWorktrees(parts: WorktreeParts): WorktreeStage {
  const { storage } = parts;
  let opened: Promise<SessionWorktree> | undefined;
  let session: SessionWorktree | undefined;
  const load = () =>
    (opened ??= import("./session-worktree.ts").then(
      ({ openSessionWorktree }) => (session = openSessionWorktree(parts)),
    ));
  storage.onClear(() => session?.noteLater());
  return {
    keeper: {
      current: () => session?.current(),
      enter: async (where, signal) => (await load()).enter(where, signal).catch(asToolError),
      exit: async (how) => (await load()).exit(how).catch(asToolError),
    },
    isolate: async (options) => (await load()).isolate(options),
    async start() {
      const { worktree } = storage.options;
      if (worktree === undefined && storage.place.loaded?.worktree === undefined) return;
      try {
        await (await load()).start(worktree);
      } catch (error) {
        if (error instanceof Error && error.name === "WorktreeError") throw new OpenError(error.message, "setup");
        throw error;
      }
    },
    beforeRun: () => session?.note(),
    beforeEnd: async () => session?.beforeEnd(),
    close: async () => session?.close(),
  };
}

function asToolError(error: unknown): never {
  if (error instanceof Error && error.name === "WorktreeError") throw new ToolError(error.message);
  throw error;
}
