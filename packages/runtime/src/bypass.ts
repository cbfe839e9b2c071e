// Whether a client may switch to the mode that asks about nothing, once the session is open. Pure.

import type { Snapshot } from "@keelson/config";

/** Only when the start said so, and nobody above forbade it. */
export function mayBypass(
  { mode, flags, settings, env }: Pick<Snapshot, "mode" | "flags" | "settings" | "env">,
  uid: number | undefined,
): boolean {
  // Whoever started in it has passed these checks already.
  if (mode === "bypassPermissions") return true;
  if (flags.allowSkipPermissions !== true) return false;
  if (settings.permissions?.disableBypassPermissionsMode === "disable") return false;
  return uid !== 0 || env["IS_SANDBOX"] === "1";
}
