// Requests about settings: show them, set a layer above the files, and write a few keys to files.

import { ConfigError, reload, setValue, settingsFiles, type Snapshot } from "@keelson/config";
import { readUserFile } from "@keelson/disk/own-files";
import { isObject, type SettingsKey } from "@keelson/protocol";
import { withEffort } from "./models.ts";
import { done, failed, fieldsIn, textIn, type ControlHandler } from "../reply.ts";
import { withFlags } from "./with-flags.ts";

const SOURCES = {
  managed: "policySettings",
  flag: "flagSettings",
  local: "localSettings",
  project: "projectSettings",
  user: "userSettings",
} as const;

export const getSettings: ControlHandler<"get_settings"> = async (_request, targets) => {
  const { settings, origin, home } = targets.snapshot();
  const files = await settingsFiles({ ...origin, home });
  const sources = files
    .filter(({ state }) => state === "present")
    .map(({ scope, file }) => ({ source: SOURCES[scope], path: file, settings: parsed(file) }));
  const { profile, effort } = targets.model();
  return done({ effective: settings, sources, applied: { model: profile.id, effort: effort ?? null } });
};

/** Applies all keys or none. Null removes a key. */
export const applyFlagSettings: ControlHandler<"apply_flag_settings"> = async (request, targets) => {
  const wanted = fieldsIn(request, "settings");
  if (wanted === undefined) return failed(`${REFUSED}"settings" must be an object`);
  const before = targets.snapshot();
  const settings = JSON.stringify(merged(flagLayer(before), wanted));
  const flags = { settings, ...("effortLevel" in wanted ? { effort: undefined } : {}) };
  let next: Snapshot;
  try {
    next = reload(withFlags(before, flags));
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return failed(REFUSED + error.message);
  }
  const complaint = next.warnings.find((warning) => !before.warnings.includes(warning));
  if (complaint !== undefined) return failed(REFUSED + complaint);
  // This also reads the files again, so changes there need the approval of ConfigChange hooks, as between runs.
  if (!(await targets.mayAdopt(next)))
    return failed(`${REFUSED}a settings file changed, and a hook refuses the change`);
  if ("model" in wanted) {
    const { model } = wanted;
    await targets.setModel(typeof model === "string" && model !== "default" ? model : undefined);
  }
  targets.adopt(next);
  if ("effortLevel" in wanted) {
    const effort = next.settings.effortLevel ?? undefined;
    targets.tuneModel(withEffort(targets.model(), effort, next));
  }
  return done();
};

/** The wording of the reference. */
const REFUSED = "apply_flag_settings: nothing in this request was applied and the settings are as before: ";

/** Preferences only: nothing that decides what may run or where requests go. */
const WRITABLE: ReadonlySet<string> = new Set<SettingsKey>([
  "outputStyle",
  "language",
  "theme",
  "verbose",
  "viewMode",
  "editorMode",
  "prefersReducedMotion",
  "promptSuggestionEnabled",
  "spinnerTipsEnabled",
  "autoCompactEnabled",
  "fileCheckpointingEnabled",
  "alwaysThinkingEnabled",
  "effortLevel",
  "preferredNotifChannel",
  "showTurnDuration",
  "syntaxHighlightingDisabled",
  "terminalProgressBarEnabled",
]);
/** Only in the user's own file: which of the installed plugins are used. */
const WRITABLE_BY_USER: ReadonlySet<string> = new Set<SettingsKey>(["enabledPlugins"]);
const SCOPES = { userSettings: "user", projectSettings: "project", localSettings: "local" } as const;

export const updateSettings: ControlHandler<"update_settings"> = async (request, targets) => {
  const scope = SCOPES[textIn(request, "source") as keyof typeof SCOPES];
  if (scope === undefined) {
    return failed(`update_settings: "source" must be one of ${Object.keys(SCOPES).join(", ")}`);
  }
  const settings = fieldsIn(request, "settings");
  if (settings === undefined) return failed('update_settings: "settings" must be an object');
  const refused = Object.keys(settings).filter(
    (key) => !WRITABLE.has(key) && !(scope === "user" && WRITABLE_BY_USER.has(key)),
  );
  if (refused.length > 0) return failed(`update_settings keys not allowed: ${refused.join(", ")}`);
  for (const [key, value] of Object.entries(settings)) {
    const result = await setValue({ key, value: JSON.stringify(value) ?? "null", scope }, targets.snapshot());
    if (!result.ok) return failed(`update_settings: ${result.problem}`);
  }
  return done({});
};

/** The settings of `--settings` and of earlier requests. */
function flagLayer({ flags }: Snapshot): Readonly<Record<string, unknown>> {
  const given = flags.settings?.trim();
  if (given === undefined || given === "") return {};
  const value: unknown = given.startsWith("{") ? JSON.parse(given) : parsed(given);
  return isObject(value) ? value : {};
}

const MOST_BYTES = 4 * 1024 * 1024;

function parsed(file: string): unknown {
  try {
    return Bun.JSONC.parse(
      readUserFile(file, MOST_BYTES)!
        .toString()
        .replace(/^\ufeff/, ""),
    );
  } catch {
    // It was readable when the settings were loaded; "effective" has the values in use.
    return null;
  }
}

function merged(
  base: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(more)) {
    if (value === null) delete result[key];
    else if (isObject(value) && isObject(result[key])) result[key] = merged(result[key], value);
    else result[key] = value;
  }
  return result;
}
