// A worktree for one subagent: made before it starts, and removed when it ends, unless there is work in it.

import { relative } from "node:path";
import { checkoutAround, WorktreeError } from "@keelson/host/worktrees";
import type { ProvidedWorktree, WorktreeProvider } from "./provider.ts";

export interface IsolateOptions {
  readonly agentId: string;
  /** Where the parent works. */
  readonly parent: string;
  readonly signal: AbortSignal;
}

export interface IsolatedWorktree {
  readonly cwd: string;
  /** The folders that it is a copy of. */
  readonly copyOf: readonly string[];
  readonly branch?: string;
  /** For the agent: how to deal with paths it has been told. */
  readonly notice: string;
  /** Call it in every ending, when nothing of the agent runs any more. Removes the worktree if nothing would be lost. */
  finish(): Promise<FinishedWorktree>;
}

export interface FinishedWorktree {
  readonly kept: boolean;
  readonly path: string;
  readonly branch?: string;
  /** Why it was kept. */
  readonly why?: string;
}

/** Throws WorktreeError if it cannot be made. */
export async function isolateAgent(
  provider: WorktreeProvider,
  { agentId, parent, signal }: IsolateOptions,
): Promise<IsolatedWorktree> {
  const worktree = await provider.make(`agent-${agentId}`, signal);
  const { path, copyOf, branch, notices, hookBased } = worktree;
  const checkout = (hookBased ? undefined : checkoutAround(parent)) ?? parent;
  let finished: Promise<FinishedWorktree> | undefined;
  return {
    cwd: path,
    copyOf,
    ...(branch === undefined ? {} : { branch }),
    notice: pathNotice({ parent, checkout, path, branch, notices }),
    finish: () => (finished ??= finish(provider, worktree)),
  };
}

async function finish(provider: WorktreeProvider, worktree: ProvidedWorktree): Promise<FinishedWorktree> {
  const { path, branch } = worktree;
  const place = { path, ...(branch === undefined ? {} : { branch }) };
  const why = await removeIfUnchanged(provider, worktree);
  return why === undefined ? { kept: false, ...place } : { kept: true, ...place, why };
}

/** Why it stays; undefined if it was removed. Does not reject because git or a hook fails. */
export async function removeIfUnchanged(
  provider: WorktreeProvider,
  worktree: ProvidedWorktree,
): Promise<string | undefined> {
  try {
    const work = await provider.workIn(worktree);
    const why = work?.text ?? ((await provider.remove(worktree)) ? undefined : "there is no WorktreeRemove hook");
    if (why !== undefined) provider.release(worktree);
    return why;
  } catch (error) {
    if (!(error instanceof WorktreeError)) throw error;
    provider.release(worktree);
    return error.message;
  }
}

export interface NoticeFacts {
  readonly parent: string;
  /** What the worktree is another copy of, as the parent sees it: the parent works in it. */
  readonly checkout: string;
  readonly path: string;
  readonly branch?: string;
  readonly notices: readonly string[];
}

export function pathNotice({ parent, checkout, path, branch, notices }: NoticeFacts): string {
  const below = relative(checkout, parent);
  return [
    `You work in an isolated worktree: ${path}${branch === undefined ? "" : ` on the branch ${branch}`}. It is a checkout ` +
      "of its own, so your changes do not affect the folder of the agent that started you, and its changes do not affect you.",
    `Paths in the conversation so far refer to ${checkout}. Translate them: ${checkout}/x is ${path}/x here. Read a file again ` +
      "before you edit it; it may be different from what was shown before.",
    ...(below === "" ? [] : [`The agent that started you works in ${parent}, which is ${path}/${below} here.`]),
    ...notices.map((text) => `${text}.`),
  ].join("\n\n");
}
