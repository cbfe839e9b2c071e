// Entry point `@keelson/runtime/models`: how sessions in a folder would ask models, for commands about providers.

import { ownEnvironment, type Snapshot } from "@keelson/config";
import type { ProviderMemory, ResolveOptions } from "@keelson/model";
import { credentialSources } from "./model-choice.ts";

/** `memory` is the session's, if there is one: a key that it has is not asked for again. */
export function modelOptions(snapshot: Snapshot, memory?: ProviderMemory): ResolveOptions {
  const { env, settings } = snapshot;
  const sources = credentialSources(snapshot, { sessionId: crypto.randomUUID(), entrypoint: "cli" });
  return { env, network: ownEnvironment(snapshot), settings, sources, ...(memory ? { memory } : {}) };
}
