// The permission mode a session starts in. Pure.

import type { PermissionMode, Settings } from "@keelson/protocol";
import { ConfigError } from "../errors.ts";
import { permissionsOf } from "./rules.ts";
import type { Flags } from "./snapshot.ts";

const ROOT_REFUSED = "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons";

export interface ModeQuestion {
  /** All scopes merged, without what folders may not set. */
  readonly settings: Settings;
  readonly flags: Flags;
  readonly isRoot: boolean;
  /** `IS_SANDBOX=1` in the environment at the start. */
  readonly isSandbox: boolean;
  /** Deny or ask rules may be missing. */
  readonly unread: boolean;
}

/** Flags, then settings, then `default`. A mode that is turned off falls back to `default`. */
export function startingMode(question: ModeQuestion, warn: (text: string) => void): PermissionMode {
  const { settings, flags, isRoot, isSandbox, unread } = question;
  const asked = flags.skipPermissions ? "bypassPermissions" : flags.permissionMode;
  const mode = asked ?? permissionsOf(settings).defaultMode ?? "default";

  if (unread && !isAsking(mode)) return "default";
  if (isTurnedOff(mode, settings)) {
    warn(`Permission mode ${mode} is turned off in your settings; starting in default mode`);
    return "default";
  }
  if (mode === "bypassPermissions" && isRoot && !isSandbox) {
    if (asked !== undefined) throw new ConfigError(ROOT_REFUSED);
    warn(`permissions.defaultMode "bypassPermissions" ignored: ${ROOT_REFUSED}`);
    return "default";
  }
  return mode;
}

/** Whether a mode is at least as strict as `default`. */
export const isAsking = (mode: PermissionMode): boolean => ["plan", "dontAsk", "default"].includes(mode);

function isTurnedOff(mode: PermissionMode, settings: Settings): boolean {
  const permissions = permissionsOf(settings);
  if (mode === "bypassPermissions") return permissions.disableBypassPermissionsMode === "disable";
  if (mode === "auto") return settings.disableAutoMode === "disable" || permissions.disableAutoMode === "disable";
  return false;
}
