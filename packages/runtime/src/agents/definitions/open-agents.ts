// The stage of a session that knows its agents.

import { openAgentSet } from "@keelson/config/agent-set";
import type { JsonObject } from "@keelson/protocol";
import type { Gate } from "../../gate/gate.ts";
import { guardedReader } from "../../skills/link-guard.ts";
import type { Storage } from "../../session/storage.ts";
import { SessionAgents } from "./session-agents.ts";

export interface DefinitionStage {
  readonly agents: SessionAgents;
  /** The agents of the client's `initialize`. */
  setClient(agents: JsonObject): void;
}

export async function openDefinitions(storage: Storage, gate: Gate): Promise<DefinitionStage> {
  const { state } = storage;
  let given: JsonObject | undefined;
  const client = () => given;
  const load = await guardedReader(storage, gate, (isDenied) => openAgentSet(state.snapshot, { isDenied, client }));
  const agents = new SessionAgents({ snapshot: () => state.snapshot, load, rules: () => gate.ruleBook.rules });
  return {
    agents,
    setClient(next) {
      given = next;
      agents.reload();
    },
  };
}
