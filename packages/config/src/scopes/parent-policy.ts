// Policy from the program that starts Keelson (`--managed-settings`). It ranks with an administrator's files, but may only
// make permissions stricter. Pure.

import { isObject, type SettingsKey } from "@keelson/protocol";

/** Keys that make permissions stricter: with any value, or only with the given one. */
const NARROWING: ReadonlyMap<string, boolean | undefined> = new Map<SettingsKey, boolean | undefined>([
  ["permissions.deny", undefined],
  ["permissions.ask", undefined],
  ["permissions.disableBypassPermissionsMode", undefined],
  ["permissions.disableAutoMode", undefined],
  ["disableAutoMode", undefined],
  ["requireTrust", true],
  ["allowManagedPermissionRulesOnly", true],
  ["allowManagedHooksOnly", true],
  ["allowManagedMcpServersOnly", true],
  ["deniedMcpServers", undefined],
  ["blockedMarketplaces", undefined],
  ["strictPluginOnlyCustomization", undefined],
  ["disableSideloadFlags", true],
  ["disableSkillShellExecution", true],
  ["enforceAvailableModels", true],
  ["sandbox.enabled", true],
  ["sandbox.failIfUnavailable", true],
  ["sandbox.projectMcpServers", true],
  ["sandbox.allowUnsandboxedCommands", false],
  ["sandbox.autoAllowBashIfSandboxed", false],
  ["sandbox.filesystem.denyRead", undefined],
  ["sandbox.filesystem.denyWrite", undefined],
  ["sandbox.filesystem.allowManagedReadPathsOnly", true],
  ["sandbox.network.deniedDomains", undefined],
  ["sandbox.network.strictAllowlist", true],
  ["sandbox.network.allowManagedDomainsOnly", true],
  ["sandbox.credentials.files", undefined],
  ["sandbox.credentials.envVars", undefined],
]);
const GROUPS = new Set([...NARROWING.keys()].flatMap((key) => parents(key)));

/** Splits settings into those that make permissions stricter and the names of the others. */
export function onlyNarrowing(
  settings: Readonly<Record<string, unknown>>,
  prefix = "",
): { readonly settings: Record<string, unknown>; readonly refused: readonly string[] } {
  const kept: Record<string, unknown> = {};
  const refused: string[] = [];
  for (const [name, value] of Object.entries(settings)) {
    const key = `${prefix}${name}`;
    if (GROUPS.has(key) && isObject(value)) {
      const inner = onlyNarrowing(value, `${key}.`);
      if (Object.keys(inner.settings).length > 0) kept[name] = inner.settings;
      refused.push(...inner.refused);
    } else if (NARROWING.has(key) && (NARROWING.get(key) ?? value) === value) kept[name] = value;
    else if (key !== "$schema") refused.push(key);
  }
  return { settings: kept, refused };
}

function parents(key: string): readonly string[] {
  const parts = key.split(".");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("."));
}
