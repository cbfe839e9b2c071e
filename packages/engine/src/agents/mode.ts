// The permission mode of an agent. It may be stricter than its parent's, and wider in one case only.

import { stricterMode, type AgentDefinition, type PermissionMode } from "@keelson/protocol";

/**
 * A stricter mode always holds. `mayWiden`: `acceptEdits` may take the place of `default`. No definition leads to `auto` or
 * `bypassPermissions`.
 */
export function agentMode(
  parent: PermissionMode,
  wanted: PermissionMode | undefined,
  { mayWiden }: { readonly mayWiden: boolean },
): PermissionMode {
  if (wanted === undefined) return parent;
  if (parent === "default" && wanted === "acceptEdits" && mayWiden) return wanted;
  // Neither is stricter: one asks no one before it removes a file, the other does not ask the user before it connects.
  if (parent === "auto" && wanted === "acceptEdits" && !mayWiden) return parent;
  return stricterMode(parent, wanted);
}

/** Whether this definition may widen the mode: one of the user, an administrator, a client, or a folder that is trusted. */
export function widensMode({ source, untrusted }: Pick<AgentDefinition, "source" | "untrusted">): boolean {
  return source !== "plugin" && source !== "built-in" && untrusted !== true;
}
