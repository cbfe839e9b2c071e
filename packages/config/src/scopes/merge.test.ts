import { expect, test } from "bun:test";
import type { Settings } from "@keelson/protocol";
import { SETTINGS_TABLE, type SettingsRow } from "@keelson/protocol/settings-table";
import { mergeSettings } from "./merge.ts";

const nested = (key: string, value: unknown): Settings =>
  key.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Settings;
const merged = (key: string, ...values: readonly unknown[]) => mergeSettings(values.map((value) => nested(key, value)));

const rows = Object.entries<SettingsRow>(SETTINGS_TABLE);
const winning = rows.filter(([, { type }]) => "wins" in type && type.wins);

test("the switches that only restrict", () => {
  expect(winning.map(([key]) => key)).toEqual([
    "allowManagedPermissionRulesOnly",
    "requireTrust",
    "autoMode.classifyAllShell",
    "disableSkillShellExecution",
    "disableSideloadFlags",
    "isolatePeerMachines",
    "sandbox.failIfUnavailable",
    "sandbox.filesystem.allowManagedReadPathsOnly",
    "sandbox.network.strictAllowlist",
    "sandbox.network.allowManagedDomainsOnly",
    "sandbox.projectMcpServers",
    "enforceAvailableModels",
    "allowManagedHooksOnly",
    "strictPluginOnlyCustomization",
    "allowManagedMcpServersOnly",
    "disableClaudeAiConnectors",
    "disableWorkflows",
    "disableArtifact",
  ]);
});

test.each(winning.map(([key]) => key))("%s: on in one scope is on", (key) => {
  const on = nested(key, true);
  for (const values of [[true, false], [false, true], [false, true, false], [true]])
    expect(merged(key, ...values)).toEqual(on);
  expect(merged(key, false, false)).toEqual(nested(key, false));
});

test("other switches are the highest scope's, and so are theirs in a map of guards unless they are on", () => {
  expect(merged("sandbox.enabled", true, false)).toEqual(nested("sandbox.enabled", false));
  expect(merged("disableAllHooks", true, false)).toEqual({ disableAllHooks: false });
  expect(merged("sandbox.mcpServers", { a: true, b: false }, { a: false, b: true })).toEqual(
    nested("sandbox.mcpServers", { a: true, b: true }),
  );
});

test("what is reserved for plugins in one managed file stays reserved", () => {
  const key = "strictPluginOnlyCustomization";
  expect(merged(key, true, ["skills"])).toEqual({ [key]: true });
  expect(merged(key, ["hooks"], false)).toEqual({ [key]: ["hooks"] });
  expect(merged(key, ["hooks"], ["skills"])).toEqual({ [key]: ["hooks", "skills"] });
});
