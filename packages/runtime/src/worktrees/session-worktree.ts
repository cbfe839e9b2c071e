// The worktree that a session works in. Entering one moves the working directory, the rules and the instructions there;
// the transcript stays where it is and says where the session went.

import { existsSync, realpathSync } from "node:fs";
import { renderNested } from "@keelson/engine";
import { realPathOf } from "@keelson/disk/real-path";
import { gitBranch } from "@keelson/host";
import { gitWrites, WorktreeError } from "@keelson/host/worktrees";
import type { PersistedWorktree } from "@keelson/protocol";
import type { LoadedSession } from "@keelson/store/past";
import type { EnterWorktreeOutput, ExitWorktreeOutput, WorktreeKeeper } from "@keelson/tools";
import { isolateAgent, removeIfUnchanged, type IsolatedWorktree, type IsolateOptions } from "./isolate.ts";
import type { WorktreeParts } from "./open-worktrees.ts";
import { openProvider, type ProvidedWorktree } from "./provider.ts";

export interface SessionWorktree extends WorktreeKeeper {
  isolate(options: IsolateOptions): Promise<IsolatedWorktree>;
  /** `worktree`: what `--worktree` asks for. */
  start(worktree: { readonly name?: string } | undefined): Promise<void>;
  /** Writes where the session is, if the transcript does not say it yet. */
  note(): void;
  /** The transcript is a new one. */
  noteLater(): void;
  beforeEnd(): Promise<void>;
  close(): Promise<void>;
}

interface Inside {
  readonly worktree: ProvidedWorktree;
  /** Where the session was before. */
  readonly from: string;
  /** `--worktree` made it: it ends with the session. */
  readonly isOfStart: boolean;
}

export function openSessionWorktree(parts: WorktreeParts): SessionWorktree {
  const { storage, gate, hooks, confine } = parts;
  const { options, state, folders, place, outbox, now } = storage;
  const provider = openProvider({
    snapshot: () => state.snapshot,
    root: state.snapshot.cwd,
    fire: (event, input) => hooks.fire(event, input),
    hasHooksFor: (event) => hooks.hasHooksFor(event),
    confine,
    random: Math.random,
    now,
  });
  let inside: Inside | undefined;
  let isNoted = true;
  let sweeping: Promise<void> | undefined;

  function moveTo(path: string, options?: { readonly quiet: boolean }): void {
    folders.moveRoot(path, { ...options, writes: gitWrites(path) });
    state.root = path;
    state.branch = gitBranch(path);
  }

  /** Returns the instructions that are different here. */
  async function loadInstructions(): Promise<readonly string[]> {
    const known = new Set(state.instructions?.files().map(({ text }) => text));
    state.instructions = await parts.loadInstructions();
    return state.instructions
      .files()
      .filter(({ text }) => !known.has(text))
      .map(renderNested);
  }

  /** `at`: whether the session is just being opened. Its instructions are loaded later then. */
  function enter(worktree: ProvidedWorktree, at: "start" | "run", isOfStart = false): void {
    inside = { worktree, from: folders.workspace.root, isOfStart };
    state.worktree = persisted(inside);
    isNoted = false;
    sweeping ??= worktree.hookBased ? undefined : provider.sweep();
    // Reading there changes nothing, and folders that worktrees share by links are there.
    gate.openFolder(folders.workspace.root);
    moveTo(worktree.path, { quiet: at === "start" });
    const copy = { from: worktree.copyOf, to: worktree.path };
    gate.ruleBook.addCopy(copy);
    gate.ruleBook.allowIn(copy);
  }

  async function leave(): Promise<readonly string[]> {
    const { from } = inside!;
    inside = undefined;
    state.worktree = undefined;
    isNoted = false;
    moveTo(from);
    gate.ruleBook.allowIn(undefined);
    note();
    return loadInstructions();
  }

  function note(): void {
    if (isNoted) return;
    isNoted = true;
    outbox.note({ type: "worktree-state", worktreeSession: inside ? persisted(inside) : null, sessionId: place.id });
  }

  const persisted = ({ worktree, from }: Inside): PersistedWorktree => ({
    originalCwd: from,
    worktreePath: worktree.path,
    worktreeName: worktree.name,
    ...(worktree.branch === undefined ? {} : { worktreeBranch: worktree.branch }),
    sessionId: place.id,
    ...(worktree.hookBased ? { hookBased: true } : {}),
  });

  /** The worktree of an earlier process; a session does not fail because it is gone. */
  async function restore({
    worktreePath,
    originalCwd,
    hookBased,
    isProven,
  }: NonNullable<LoadedSession["worktree"]>): Promise<void> {
    if (worktreePath === state.root) return;
    const stays = `continuing in ${state.root}`;
    // Below the working directory, nothing is granted by it.
    if (!isProven && !realPathOf(worktreePath).startsWith(`${state.root}/`)) {
      const why = "but Keelson cannot verify that (another program or an older version may have recorded it)";
      return options.warn(`This session was in the worktree ${worktreePath}, ${why}; ${stays}`);
    }
    if (hookBased) return options.warn(`This session was in the worktree ${worktreePath}, created by a hook; ${stays}`);
    if (!existsSync(worktreePath)) {
      return options.warn(`This session was in the worktree ${worktreePath}, which no longer exists; ${stays}`);
    }
    try {
      const taken = await provider.take(worktreePath);
      enter({ ...taken, isOwn: originalCwd === state.root && isMadeByName(taken) }, "start");
      isNoted = options.session.fork !== true;
    } catch (error) {
      if (!(error instanceof WorktreeError)) throw error;
      options.warn(
        `This session was in the worktree ${worktreePath}, which cannot be used: ${error.message}; ${stays}`,
      );
    }
  }

  return {
    current: () => inside && { path: inside.worktree.path },

    async enter({ name, path }, signal): Promise<EnterWorktreeOutput> {
      const worktree = path === undefined ? await provider.make(name, signal) : await provider.take(realFolder(path));
      enter(worktree, "run");
      note();
      const { from } = inside!;
      return {
        worktreePath: worktree.path,
        ...(worktree.branch === undefined ? {} : { worktreeBranch: worktree.branch }),
        message: enteredText(worktree, from, await loadInstructions()),
      };
    },

    async exit({ action, discard_changes = false }): Promise<ExitWorktreeOutput> {
      const { worktree, from } = inside!;
      const { path, branch } = worktree;
      let done = { text: `Left the worktree ${path}; it was kept.`, files: 0, commits: 0 };
      if (action === "remove") {
        if (!worktree.isOwn) throw new WorktreeError("refused", NOT_OWN);
        const work = await provider.workIn(worktree);
        if (work && !discard_changes) throw new WorktreeError("changed", lossText(work.text));
        const removed = await provider.remove(worktree, { force: discard_changes });
        if (!removed) throw new WorktreeError("refused", NO_REMOVE_HOOK);
        const lost = work ? ` Discarded: ${work.text}.` : "";
        done = { files: 0, commits: 0, ...work, text: `Left and removed the worktree ${path}.${lost}` };
      } else {
        provider.release(worktree);
      }
      const texts = await leave();
      return {
        action,
        originalCwd: from,
        worktreePath: path,
        ...(branch === undefined ? {} : { worktreeBranch: branch }),
        ...(done.files > 0 ? { discardedFiles: done.files } : {}),
        ...(done.commits > 0 ? { discardedCommits: done.commits } : {}),
        message: [`${done.text} The session is back in ${from}.`, ...texts].join("\n\n"),
      };
    },

    async isolate(how) {
      sweeping ??= provider.sweep();
      const made = await isolateAgent(provider, how);
      const copy = { from: made.copyOf, to: made.cwd };
      gate.ruleBook.addCopy(copy);
      const finish = () =>
        made.finish().finally(() => {
          if (!existsSync(made.cwd)) gate.ruleBook.removeCopy(copy);
        });
      return { ...made, finish };
    },

    async start(wanted) {
      const { loaded } = place;
      if (wanted === undefined) return restore(loaded!.worktree!);
      const worktree = await provider.make(wanted.name, new AbortController().signal);
      enter(worktree, "start", true);
      for (const text of worktree.notices) options.warn(text);
      // The conversation so far was about another folder.
      if (loaded) storage.notify(enteredText(worktree, inside!.from, []));
    },

    note,
    noteLater: () => void (isNoted = inside === undefined),

    async beforeEnd() {
      if (inside?.worktree.hookBased && inside.isOfStart) await end(inside);
    },

    async close() {
      await sweeping;
      if (!inside) return;
      if (inside.isOfStart && !inside.worktree.hookBased) await end(inside);
      else provider.release(inside.worktree);
    },
  };

  async function end({ worktree }: Inside): Promise<void> {
    const why = await removeIfUnchanged(provider, worktree);
    const where = `${worktree.path}${worktree.branch === undefined ? "" : ` (branch ${worktree.branch})`}`;
    if (why !== undefined) options.warn(`The worktree ${where} was kept: ${why}`);
  }
}

const isMadeByName = ({ path, name }: ProvidedWorktree) => path.endsWith(`/.claude/worktrees/${name}`);

/** The folder of the repository's own worktrees needs no approval, so nothing there may lead elsewhere. */
function realFolder(path: string): string {
  if (!existsSync(path)) throw new WorktreeError("refused", `'${path}' does not exist`);
  if (realpathSync(path) === path) return path;
  throw new WorktreeError("refused", `'${path}' is reached through a link; use '${realpathSync(path)}'`);
}

function enteredText({ path, branch, isExisting, notices }: ProvidedWorktree, from: string, texts: readonly string[]) {
  const on = branch === undefined ? "" : ` on the branch ${branch}`;
  return [
    `${isExisting ? "Entered" : "Created"} the worktree ${path}${on}. It is the working directory now; ${from} is not. ` +
      `Paths seen before refer to ${from}: translate them, and read files again before you edit them. ` +
      "Call ExitWorktree to return.",
    ...notices.map((text) => `${text}.`),
    ...texts,
  ].join("\n\n");
}

const lossText = (what: string) =>
  `Worktree has ${what}. Removing will discard this work permanently. Ask the user, then call ExitWorktree again with ` +
  'discard_changes: true, or use action: "keep".';

const NOT_OWN =
  'This worktree was entered by its path, so it is not removed. Use action: "keep"; the user can remove it with git.';

const NO_REMOVE_HOOK =
  'A hook created this worktree, and there is no WorktreeRemove hook to remove it. Use action: "keep".';
