// Which permission modes a client may switch to, once the session is open. Pure.

import type { Snapshot } from "@keelson/config";
import type { PermissionMode } from "@keelson/protocol";

type Facts = Pick<Snapshot, "mode" | "flags" | "settings"> & { readonly origin: Pick<Snapshot["origin"], "env"> };

/** Why the mode may not be switched to; undefined when it may. */
export function modeRefusal(mode: PermissionMode, facts: Facts, uid: number | undefined): string | undefined {
  if (mode === "bypassPermissions" && !mayBypass(facts, uid)) {
    return "Cannot set permission mode to bypassPermissions: the session was not started with --dangerously-skip-permissions or --allow-dangerously-skip-permissions";
  }
  const { permissions, disableAutoMode } = facts.settings;
  if (mode === "auto" && (disableAutoMode === "disable" || permissions?.disableAutoMode === "disable")) {
    return "Cannot set permission mode to auto: the settings forbid it (disableAutoMode)";
  }
  return undefined;
}

/** Only when the start said so, and nobody above forbade it. */
function mayBypass({ mode, flags, settings, origin }: Facts, uid: number | undefined): boolean {
  // Whoever started in it has passed these checks already.
  if (mode === "bypassPermissions") return true;
  if (flags.allowSkipPermissions !== true) return false;
  if (settings.permissions?.disableBypassPermissionsMode === "disable") return false;
  // Of our own environment: settings may not say where we run.
  return uid !== 0 || origin.env["IS_SANDBOX"] === "1";
}
