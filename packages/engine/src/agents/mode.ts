// The permission mode of an agent. It may be stricter than its parent's, never wider.

import type { PermissionMode } from "@keelson/protocol";

/**
 * A parent in bypassPermissions, acceptEdits or auto passes its mode on, whatever the agent asks for. plan and dontAsk
 * hold for children.
 */
export function narrowerMode(parent: PermissionMode, wanted: PermissionMode | undefined): PermissionMode {
  if (parent !== "default" || wanted === undefined) return parent;
  return wanted === "plan" || wanted === "dontAsk" ? wanted : parent;
}
