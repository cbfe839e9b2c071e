// The provider that a command is about, and the settings that say what is known of it.

import type { Snapshot } from "@keelson/config";
import type { ResolveOptions } from "@keelson/model";
import { UsageError } from "../../args/invocation.ts";
import { snapshotFor, type Invoked } from "../group.ts";

export interface AuthCall {
  readonly snapshot: Snapshot;
  readonly options: ResolveOptions;
  readonly provider: string | undefined;
}

export async function authCall(call: Invoked, usage: string): Promise<AuthCall> {
  const [name, ...more] = call.words;
  // A key among the arguments would be in the shell's history, and other users could read it.
  if (more.length > 0) throw new UsageError(`${usage}; a key is typed or piped in, never an argument`);
  const snapshot = await snapshotFor(call);
  const { modelOptions } = await import("@keelson/runtime/models");
  const { knownProvider, ModelError } = await import("@keelson/model/choice");
  const options = modelOptions(snapshot);
  try {
    return { snapshot, options, provider: name === undefined ? undefined : knownProvider(name, options) };
  } catch (error) {
    if (error instanceof ModelError) throw new UsageError(error.message);
    throw error;
  }
}
