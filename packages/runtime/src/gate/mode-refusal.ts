// Which permission modes a client may switch to while the session is open. Pure.

import type { Snapshot } from "@keelson/config";
import type { PermissionMode } from "@keelson/protocol";
import { isVariableOn } from "@keelson/protocol";

export interface ModeFacts extends Pick<Snapshot, "flags" | "settings"> {
  /** The mode that the session was started in: settings that a client brings later do not choose it. */
  readonly mode: PermissionMode;
  readonly origin: Pick<Snapshot["origin"], "env">;
}

/** Why the session cannot switch to the mode; undefined if it can. */
export function modeRefusal(mode: PermissionMode, facts: ModeFacts, uid: number | undefined): string | undefined {
  if (mode === "bypassPermissions" && !mayBypass(facts, uid)) {
    return "Cannot set permission mode to bypassPermissions: the session was not started with --dangerously-skip-permissions or --allow-dangerously-skip-permissions";
  }
  const { permissions, disableAutoMode } = facts.settings;
  if (mode === "auto" && (disableAutoMode === "disable" || permissions?.disableAutoMode === "disable")) {
    return "Cannot set permission mode to auto: the settings forbid it (disableAutoMode)";
  }
  return undefined;
}

/** Needs a flag at startup, and settings that do not forbid it. */
function mayBypass({ mode, flags, settings, origin }: ModeFacts, uid: number | undefined): boolean {
  if (settings.permissions?.disableBypassPermissionsMode === "disable") return false;
  // The other checks passed at the start.
  if (mode === "bypassPermissions") return true;
  if (flags.allowSkipPermissions !== true) return false;
  // From the process environment: settings must not claim to be in a sandbox.
  return uid !== 0 || isVariableOn(origin.env["IS_SANDBOX"]);
}
