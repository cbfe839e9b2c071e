// Tells when files in some folders may have changed: at once where the system tells us, and now and then in any case.

import { watch, type FSWatcher } from "node:fs";

const POLL_MS = 1_000;
const TOGETHER_MS = 10;

/** Calls `changed` until the returned function is called. Calls that come close together become one. */
export function watchFolders(folders: readonly string[], changed: () => void): () => void {
  let pending = false;
  const tell = () => {
    if (pending) return;
    pending = true;
    setTimeout(() => {
      pending = false;
      if (!isOver) changed();
    }, TOGETHER_MS);
  };
  let isOver = false;
  const watchers = folders.flatMap((folder) => watcherOf(folder, tell) ?? []);
  const timer = setInterval(tell, POLL_MS);
  timer.unref();
  return () => {
    isOver = true;
    clearInterval(timer);
    for (const watcher of watchers) watcher.close();
  };
}

/** Undefined if the system watches no more folders; looking now and then has to do. */
function watcherOf(folder: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, changed);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}
