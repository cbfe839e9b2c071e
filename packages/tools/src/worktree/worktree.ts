// EnterWorktree and ExitWorktree: move the session into a worktree and back. The session does the work.

import { boolean, defineTool, object, oneOf, optional, string, ToolError, type Tool } from "@keelson/engine";
import { resolvePath } from "../path.ts";
import enterDescription from "./enter-worktree.md" with { type: "text" };
import exitDescription from "./exit-worktree.md" with { type: "text" };

export interface EnterWorktreeInput {
  readonly name?: string;
  readonly path?: string;
}

export interface EnterWorktreeOutput {
  readonly worktreePath: string;
  readonly worktreeBranch?: string;
  readonly message: string;
}

export interface ExitWorktreeInput {
  readonly action: "keep" | "remove";
  readonly discard_changes?: boolean;
}

export interface ExitWorktreeOutput {
  readonly action: "keep" | "remove";
  readonly originalCwd: string;
  readonly worktreePath: string;
  readonly worktreeBranch?: string;
  readonly discardedFiles?: number;
  readonly discardedCommits?: number;
  readonly message: string;
}

/** The session's worktree. Methods throw ToolError. */
export interface WorktreeKeeper {
  /** The worktree that the session is in. */
  current(): { readonly path: string } | undefined;
  enter(where: EnterWorktreeInput, signal: AbortSignal): Promise<EnterWorktreeOutput>;
  exit(how: ExitWorktreeInput): Promise<ExitWorktreeOutput>;
}

export function worktreeTools(keeper: WorktreeKeeper): readonly Tool[] {
  return [enterWorktreeTool(keeper), exitWorktreeTool(keeper)];
}

export function enterWorktreeTool(keeper: WorktreeKeeper): Tool<EnterWorktreeInput, EnterWorktreeOutput> {
  return defineTool<EnterWorktreeInput, EnterWorktreeOutput>({
    name: "EnterWorktree",
    description: enterDescription,
    input: object({
      name: optional(
        string(
          'A name for the worktree: letters, digits, ".", "_" and "-", at most 64 characters. Generated if absent',
        ),
      ),
      path: optional(string("An existing worktree of this repository; not together with `name`")),
    }),

    check({ name, path }) {
      if (name !== undefined && path !== undefined) throw new ToolError("Give either `name` or `path`, not both.");
      const current = keeper.current();
      if (current)
        throw new ToolError(`The session is already in the worktree ${current.path}. Call ExitWorktree first.`);
    },

    // Another folder becomes the working directory. The repository's own folder of worktrees is part of it.
    describe: (input) => input.text("name") || input.text("path"),

    access({ path }, context) {
      const { root } = context.workspace;
      const target = path === undefined ? undefined : resolvePath(path, context);
      if (target === undefined || isOwnWorktree(target, root)) return { kind: "none", makes: "worktree" };
      return { kind: "edit", path: target, makes: "worktree" };
    },

    run: ({ name, path }, context) =>
      keeper.enter(path === undefined ? { name } : { path: resolvePath(path, context) }, context.signal),
    show: ({ message }) => message,
  });
}

export function exitWorktreeTool(keeper: WorktreeKeeper): Tool<ExitWorktreeInput, ExitWorktreeOutput> {
  return defineTool<ExitWorktreeInput, ExitWorktreeOutput>({
    name: "ExitWorktree",
    description: exitDescription,
    input: object({
      action: oneOf(["keep", "remove"], "Whether to keep or remove the worktree and its branch"),
      discard_changes: optional(boolean("Remove it even if uncommitted files or commits are lost with it")),
    }),

    check() {
      if (!keeper.current()) throw new ToolError("The session is not in a worktree. Nothing was changed.");
    },
    describe: (input) => input.text("action"),
    access: () => ({ kind: "none" }),

    run: (input) => keeper.exit(input),
    show: ({ message }) => message,
  });
}

function isOwnWorktree(path: string, root: string): boolean {
  const main = /^(.*)\/\.claude\/worktrees\/[^/]+$/.exec(path)?.[1];
  return main !== undefined && (root === main || root.startsWith(`${main}/`));
}
