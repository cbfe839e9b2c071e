// Credentials of model providers that are not in variables: what a command of the settings prints, and what
// `keelson auth login` stored. The commands are the user's or the administrator's, never those of a folder.

import { ownEnvironment, reachesChildren, type Snapshot } from "@keelson/config";
import { folderToAvoid } from "@keelson/config/governing";
import { createHookProcesses, hookEnvironment } from "@keelson/host/hooks";
import { openSecretStore, providerSecretKey } from "@keelson/host/secrets";
import type { Programs } from "@keelson/host/programs";
import type { CommandEnd, CredentialSources } from "@keelson/model";

export interface CommandCaller {
  readonly sessionId: string;
  readonly entrypoint: string;
  /** The registry of the session, if there is one: what an earlier command changed is not run. */
  programs?(): Programs | undefined;
}

/** Runs it as a hook is run: in its own process group, with a time limit and limited output. */
export async function runCredentialCommand(
  snapshot: Snapshot,
  { sessionId, entrypoint, programs }: CommandCaller,
  command: string,
  { timeoutMs, signal }: Parameters<CredentialSources["runCommand"]>[1],
): Promise<CommandEnd> {
  const { cwd } = snapshot;
  // Also with CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: a command that signs in to a cloud needs what it has.
  const childEnv = Object.fromEntries(
    Object.entries(ownEnvironment(snapshot)).filter(
      (pair): pair is [string, string] => pair[1] !== undefined && reachesChildren(pair[0]),
    ),
  );
  const known = programs?.();
  const processes = createHookProcesses(known && (() => known));
  try {
    const { exitCode, stdout } = await processes.run({ type: "command", command }, "", {
      cwd,
      env: hookEnvironment({
        childEnv,
        sessionId,
        entrypoint,
        projectDir: cwd,
        outside: folderToAvoid(snapshot, "user"),
      }),
      timeoutMs,
      signal,
    });
    return { code: exitCode ?? null, stdout };
  } finally {
    await processes.close();
  }
}

export function storedKey(snapshot: Snapshot, provider: string): Promise<string | undefined> {
  const { configDir, origin } = snapshot;
  const env = ownEnvironment(snapshot);
  return openSecretStore({ configDir, env, platform: origin.platform }).read(providerSecretKey(provider));
}
