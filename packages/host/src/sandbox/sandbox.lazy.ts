// The door to the shield and the sandbox for those who do not run commands. What is behind it is loaded when needed:
// a session without commands and without a sandbox never does.

import type { SandboxOptions, SandboxReadiness } from "./full/prepare.ts";
import type { SandboxBlock } from "./full/settings.ts";
import type { ShieldStatusOptions, ShieldStatus } from "./shield/status.ts";

/** Gets the full sandbox ready when the settings ask for it, or says why it cannot be. */
export async function prepareSandbox(
  settings: SandboxBlock | undefined,
  options: SandboxOptions,
): Promise<SandboxReadiness> {
  if (settings?.enabled !== true) return { active: false };
  const { startSandbox } = await import("./full/prepare.ts");
  return startSandbox(settings, options);
}

/** What is missing for the sandbox on this machine; empty when it could be turned on. */
export async function sandboxProblems(ripgrep?: string | null): Promise<readonly string[]> {
  const { missingForSandbox } = await import("./full/prepare.ts");
  return missingForSandbox(ripgrep);
}

/** Whether this machine can shield commands, by a trial of about 3 ms. */
export async function shieldStatus(question: ShieldStatusOptions): Promise<ShieldStatus> {
  const { tryShield } = await import("./shield/status.ts");
  return tryShield(question);
}
