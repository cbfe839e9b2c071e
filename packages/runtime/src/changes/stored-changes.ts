// The changes of a session that is open nowhere: by its transcript, under the rules that its folder has now.

import { mayApply, type Snapshot } from "@keelson/config";
import { createWorkspace } from "@keelson/host";
import type { WorkingDiff } from "@keelson/protocol";
import { readFileHistory, storedOriginals } from "@keelson/store/checkpoints";
import { beganMs } from "@keelson/store/history";
import { sealRules } from "../gate/open-gate.ts";
import { RuleBook } from "../gate/rule-book.ts";
import { changesSinceCommit, sessionChanges } from "./session-changes.ts";

export interface StoredChangesOptions {
  readonly id: string;
  /** Its transcript. */
  readonly path: string;
  readonly since: WorkingDiff["since"];
  /** Of its folder. */
  readonly snapshot: Snapshot;
  readonly signal: AbortSignal;
}

export async function storedChanges({ id, path, since, snapshot, signal }: StoredChangesOptions): Promise<WorkingDiff> {
  const { cwd, home, configDir, directories, env, rules, mode } = snapshot;
  const ruleBook = new RuleBook({
    mode,
    rules,
    builtIn: sealRules(configDir),
    home,
    workspace: createWorkspace(cwd, () => directories),
    mayApply: (rule) => mayApply(rule, snapshot.settings),
    refusal: () => "it is not open",
    modeChanged: () => undefined,
    warn: () => undefined,
  });
  await ruleBook.load();
  const mayRead = (file: string) => ruleBook.mayRead(file);
  const places = { cwd, home, directories, env, signal, mayRead };
  if (since === "commit") return changesSinceCommit(places);
  const originals = storedOriginals(readFileHistory(path, configDir), { configDir, sessionId: id, cwd });
  return sessionChanges({ ...places, configDir, sinceMs: beganMs(path) ?? Date.now(), originals });
}
