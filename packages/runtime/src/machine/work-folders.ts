// The working directories of a session: where it works, what it may read and write besides, and who is notified of changes.

import type { Workspace } from "@keelson/engine";
import { realPathOf } from "@keelson/disk/real-path";
import { createWorkspace } from "@keelson/host";

/** The working directories of the session. */
export interface WorkFolders {
  readonly workspace: Workspace;
  /** Calls the `onAdd` listeners if a source is given. */
  add(paths: readonly string[], source?: string): void;
  remove(paths: readonly string[]): void;
  /**
   * The session works in this folder from now on; the one before is no longer a working directory. `quiet`: listeners of
   * `onMove` are not called.
   */
  moveRoot(path: string, options?: RootMove): void;
  /** Folders that commands in the sandbox may write: the working directories, and what git needs in a worktree. */
  writable(): readonly string[];
  /** The listener is called when the shell changes its directory. */
  onMove(listener: (from: string, to: string) => void): void;
  onAdd(listener: (paths: readonly string[], source: string) => void): void;
}

export interface RootMove {
  readonly quiet?: boolean;
  /** More folders that commands may write there. */
  readonly writes?: readonly string[];
}

/** `former`: where the session worked in earlier processes. */
export function openWorkFolders(
  root: string,
  directories: readonly string[],
  former: readonly string[] = [],
): WorkFolders {
  const added = new Set(directories);
  let alsoWritable: readonly string[] = [];
  const moveListeners: ((from: string, to: string) => void)[] = [];
  const addListeners: ((paths: readonly string[], source: string) => void)[] = [];
  const workspace = createWorkspace(
    root,
    () => [...added],
    (from, to) => moveListeners.forEach((listener) => listener(from, to)),
  );
  workspace.leave(former.filter((folder) => folder !== root));
  return {
    workspace,
    add(paths, source) {
      for (const path of paths) added.add(realPathOf(path));
      if (source !== undefined) for (const listener of addListeners) listener(paths, source);
    },
    moveRoot(path, { quiet = false, writes = [] } = {}) {
      alsoWritable = writes;
      workspace.moveRoot(path, { quiet });
    },
    writable: () => [...workspace.directories, ...alsoWritable],
    remove(paths) {
      const gone = paths.map(realPathOf);
      for (const path of gone) added.delete(path);
      workspace.leave(gone);
    },
    onMove: (listener) => void moveListeners.push(listener),
    onAdd: (listener) => void addListeners.push(listener),
  };
}
