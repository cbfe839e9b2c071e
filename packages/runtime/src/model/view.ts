// Entry point `@keelson/runtime/models`: how sessions in a folder would ask models, for commands about providers.

import { ownEnvironment, type Snapshot } from "@keelson/config";
import type { ResolveOptions } from "@keelson/model";
import { credentialSources } from "./model-choice.ts";

export function modelOptions(snapshot: Snapshot): ResolveOptions {
  const { env, settings } = snapshot;
  const sources = credentialSources(snapshot, { sessionId: crypto.randomUUID(), entrypoint: "cli" });
  return { env, network: ownEnvironment(snapshot), settings, sources };
}
