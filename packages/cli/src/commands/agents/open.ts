// The agents that a session in this folder would have. Opens no session and runs nothing.

import type { Snapshot } from "@keelson/config";
import type { AgentSet } from "@keelson/config/agents";
import type { AgentView } from "@keelson/runtime/agents";
import { snapshotFor, type Invoked } from "../group.ts";
import { shortenFrom, type Shorten } from "../permissions/words.ts";
import { readGuarded } from "../read-guarded.ts";

export interface OpenedAgents {
  readonly snapshot: Snapshot;
  /** What is in files and flags. */
  readonly set: AgentSet;
  /** What a session makes of it, with built-in agents. */
  readonly view: AgentView;
  readonly short: Shorten;
}

export async function findAgents(call: Invoked): Promise<OpenedAgents> {
  const snapshot = await snapshotFor(call);
  const { loadAgents } = await import("@keelson/config/agents");
  const set = await readGuarded(snapshot, (isDenied) => loadAgents(snapshot, { isDenied }));
  const { viewAgents } = await import("@keelson/runtime/agents");
  return { snapshot, set, view: viewAgents(set.list(), snapshot), short: shortenFrom(snapshot.cwd, snapshot.home) };
}
