// The permission mode a session starts in. Pure; who runs us and what the system says come in as arguments.

import type { PermissionMode } from "@keelson/protocol";
import { ConfigError } from "./errors.ts";
import { permissionsOf } from "./rules.ts";
import type { Flags } from "./snapshot.ts";

const ROOT_REFUSED = "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons";

export interface ModeQuestion {
  /** All scopes merged, restricted already. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly flags: Flags;
  readonly isRoot: boolean;
  /** `IS_SANDBOX=1` in the environment we were started with. */
  readonly isSandbox: boolean;
  /** Rules that deny or ask may be missing. */
  readonly unread: boolean;
}

/** Flags, then settings, then `default`. A mode that is switched off falls back to asking. */
export function startingMode(question: ModeQuestion, warn: (text: string) => void): PermissionMode {
  const { settings, flags, isRoot, isSandbox, unread } = question;
  const asked = flags.skipPermissions ? "bypassPermissions" : flags.permissionMode;
  const mode = asked ?? (permissionsOf(settings)["defaultMode"] as PermissionMode | undefined) ?? "default";

  if (unread && !isAsking(mode)) return "default";
  if (isSwitchedOff(mode, settings)) {
    warn(`Permission mode ${mode} is switched off by your settings; starting in default mode`);
    return "default";
  }
  if (mode === "bypassPermissions" && isRoot && !isSandbox) {
    if (asked !== undefined) throw new ConfigError(ROOT_REFUSED);
    warn(`permissions.defaultMode "bypassPermissions" ignored: ${ROOT_REFUSED}`);
    return "default";
  }
  return mode;
}

/** Whether a mode lets nothing run that `default` would ask about. */
export const isAsking = (mode: PermissionMode): boolean => ["plan", "dontAsk", "default"].includes(mode);

function isSwitchedOff(mode: PermissionMode, settings: Readonly<Record<string, unknown>>): boolean {
  const permissions = permissionsOf(settings);
  if (mode === "bypassPermissions") return permissions["disableBypassPermissionsMode"] === "disable";
  if (mode === "auto") return settings["disableAutoMode"] === "disable" || permissions["disableAutoMode"] === "disable";
  return false;
}
