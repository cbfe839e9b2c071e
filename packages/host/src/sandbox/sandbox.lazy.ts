// Lazy twin of sandbox.ts: a session without commands and without the full sandbox never loads it.

import type { SandboxOptions, SandboxReadiness } from "./full/prepare.ts";
import type { SharedLibrary } from "./full/shared-library.ts";
import type { SandboxBlock } from "./full/settings.ts";
import type { ShieldStatus, ShieldStatusOptions } from "./shield/status.ts";

/** Inactive, and nothing loaded, unless the settings enable the sandbox. */
export async function prepareSandbox(
  settings: SandboxBlock | undefined,
  options: SandboxOptions,
): Promise<SandboxReadiness> {
  if (settings?.enabled !== true) return { active: false };
  const sandbox = await import("./sandbox.ts");
  return sandbox.prepareSandbox(settings, options);
}

/** The sandbox that the sessions of a process share. */
export function sharedSandbox(): NonNullable<SandboxOptions["load"]> {
  let shared: Promise<SharedLibrary> | undefined;
  const share = async () => {
    const sandbox = await import("./sandbox.ts");
    return new sandbox.SharedLibrary(sandbox.loadSandboxLibrary);
  };
  return async () => (await (shared ??= share())).open();
}

/** What this machine lacks for the sandbox; empty if it can be enabled. */
export async function sandboxProblems(ripgrep?: string | null): Promise<readonly string[]> {
  const sandbox = await import("./sandbox.ts");
  return sandbox.sandboxProblems(ripgrep);
}

/** Whether this machine can shield commands. Runs a trial command, about 3 ms. */
export async function shieldStatus(options: ShieldStatusOptions): Promise<ShieldStatus> {
  const sandbox = await import("./sandbox.ts");
  return sandbox.shieldStatus(options);
}
