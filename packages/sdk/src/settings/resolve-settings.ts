// Settings as the program would see them, without starting a session. It asks the program itself, so the files are read
// in only one way.

import type { PermissionMode, Settings } from "@keelson/protocol";
import { ProcessError } from "../errors.ts";
import { launch } from "../start/launch.ts";
import type { Options, SettingSource } from "../options/options.ts";
import { superviseChild } from "../process/child.ts";

export interface ResolveSettingsOptions extends Pick<
  Options,
  "cwd" | "env" | "executable" | "executableArgs" | "pathToKeelsonExecutable" | "settings"
> {
  settingSources?: SettingSource[];
  managedSettings?: Settings;
  /** There is no server that manages settings; a value here is rejected. */
  serverManagedSettings?: Settings;
}

export interface SettingsOrigin {
  source: "policySettings" | "flagSettings" | "localSettings" | "projectSettings" | "userSettings";
  /** Absent for settings that do not come from a file. */
  path?: string;
}

export interface ResolvedSettings {
  effective: Settings;
  /** Where each value comes from, by its dotted key; highest first, several if lists are joined. */
  provenance: Record<string, SettingsOrigin[]>;
  /** What applies from each source, lowest precedence first. */
  sources: (SettingsOrigin & { settings: Settings })[];
  /** What an administrator or the caller's `managedSettings` decides; absent if nothing. */
  machinePolicy?: Settings;
}

/** Rejects with ProcessError if the program cannot read the settings. */
export async function resolveSettings(options: ResolveSettingsOptions = {}): Promise<ResolvedSettings> {
  if (options.serverManagedSettings !== undefined) {
    throw new Error("serverManagedSettings is not available; pass the policy in managedSettings");
  }
  return JSON.parse(await ask(options)) as ResolvedSettings;
}

const ESCALATING: readonly (PermissionMode | undefined)[] = ["acceptEdits", "auto", "bypassPermissions"];

/** Removes a starting mode that allows more without approval, if the project's own files chose it. */
export function filterEscalatingDefaultMode(resolved: ResolvedSettings): ResolvedSettings {
  const { defaultMode, ...permissions } = resolved.effective.permissions ?? {};
  const [from] = resolved.provenance["permissions.defaultMode"] ?? [];
  const byProject = from?.source === "projectSettings" || from?.source === "localSettings";
  if (!byProject || !ESCALATING.includes(defaultMode)) return resolved;
  const { "permissions.defaultMode": _, ...provenance } = resolved.provenance;
  return { ...resolved, effective: { ...resolved.effective, permissions }, provenance };
}

function ask(options: ResolveSettingsOptions): Promise<string> {
  const { settingSources, managedSettings, settings } = options;
  const args = [
    "config",
    "resolve",
    ...(settings === undefined
      ? []
      : ["--settings", typeof settings === "string" ? settings : JSON.stringify(settings)]),
    ...(managedSettings === undefined ? [] : ["--managed-settings", JSON.stringify(managedSettings)]),
    ...(settingSources === undefined ? [] : [`--setting-sources=${settingSources.join(",")}`]),
  ];
  return new Promise((resolve, reject) => {
    let answer = "";
    const child = superviseChild(launch(options, { args }), {
      line: (line) => (answer += line),
      end: (exit, failure) => {
        if (failure !== undefined) reject(failure);
        else if (exit.exitCode !== 0) reject(new ProcessError(exit));
        else resolve(answer);
      },
    });
    child.endInput();
  });
}
