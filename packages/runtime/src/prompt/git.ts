// The state of the repository for the model, as it was when the session started.

import type { Snapshot } from "@keelson/config";
import type { GitState } from "@keelson/engine";
import { readGitState, type GitStateOptions } from "@keelson/host/git-state";

export function gitStateOf(
  { cwd, home, directories, env }: Snapshot,
  how: Pick<GitStateOptions, "signal" | "confine">,
): Promise<GitState | undefined> {
  return readGitState({ cwd, home, directories, env, ...how });
}
