// Requests about permission rules: list them, and change them in the session and in settings files.

import type { Rule } from "@keelson/engine";
import { readPermissionUpdates } from "../permission-updates.ts";
import { done, failed, type ControlHandler } from "../reply.ts";
import type { ControlTargets } from "../targets.ts";

export const listPermissionRules: ControlHandler<"list_permission_rules"> = (_request, targets) =>
  done({ state: permissionState(targets) });

/** Keelson only. Applies all updates or none; the reply has the new state. */
export const updatePermissions: ControlHandler<"update_permissions"> = async (request, targets) => {
  const { permissions } = targets;
  const updates = readPermissionUpdates(request.updates);
  const widens = updates.some(
    (update) => "behavior" in update && update.behavior === "allow" && update.type !== "removeRules",
  );
  if (widens && isManagedOnly(targets)) {
    return failed(
      "update_permissions: allow rules can be added in managed settings only (allowManagedPermissionRulesOnly)",
      "managed_only",
    );
  }
  for (const update of updates) {
    if (update.type === "removeRules" && update.destination === "cliArg")
      return failed("update_permissions: rules of the command line cannot be removed");
    const refusal = update.type === "setMode" ? permissions.refusal(update.mode) : undefined;
    if (refusal !== undefined) return failed(`update_permissions: ${refusal}`);
  }
  await permissions.warm();
  const problems = await permissions.accept(updates);
  await targets.adoptChangedSettings();
  return done({ state: permissionState(targets), ...(problems.length === 0 ? {} : { problems }) });
};

function permissionState(targets: ControlTargets) {
  const { permissions, workspace } = targets;
  return {
    rules: permissions.rules.filter((rule, _index, all) => !isRepeated(rule, all)).map(describeRule),
    workspaceDirectories: workspace.directories.slice(1),
    originalCwd: workspace.root,
    managedOnly: isManagedOnly(targets),
  };
}

const describeRule = ({ source, behavior, tool, content }: Rule) => ({
  source,
  ruleBehavior: behavior,
  ruleValue: { toolName: tool, ...(content === undefined ? {} : { ruleContent: content }) },
});

/** An accepted rule applies in the session, and once its file is read again also from there. */
function isRepeated(rule: Rule, all: readonly Rule[]): boolean {
  if (rule.source !== "session") return false;
  return all.some(
    ({ source, behavior, tool, content }) =>
      source !== "session" && behavior === rule.behavior && tool === rule.tool && content === rule.content,
  );
}

const isManagedOnly = ({ snapshot }: ControlTargets) => snapshot().settings.allowManagedPermissionRulesOnly === true;
