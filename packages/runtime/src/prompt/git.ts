// The state of the repository for the model, as it was when the session started.

import type { Snapshot } from "@keelson/config";
import type { GitState } from "@keelson/engine";
import { readGitState } from "@keelson/host/git-state";

export function gitStateOf(snapshot: Snapshot, signal: AbortSignal): Promise<GitState | undefined> {
  const { cwd, home, directories, env } = snapshot;
  return readGitState({ cwd, home, directories, env, signal });
}
