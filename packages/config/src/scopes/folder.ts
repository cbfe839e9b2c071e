// What the settings inside a folder may decide. Pure: it takes away, and says what it took and why.
// Files of the user, the administrator and the command line never come through here.

import { isObject, type PermissionMode } from "@keelson/protocol";
import { sift, type Accepted } from "./accepted.ts";
import { mayFolderSet } from "../env.ts";
import type { Scope } from "./scopes.ts";

export interface Standing {
  readonly trusted: boolean;
  /** How to trust the folder, for the sentences. */
  readonly fix: string;
  /** The file came with the folder, as opposed to a local file that its user wrote. Known where a mode is chosen. */
  readonly shipped: boolean;
  /** For a local file: what of it may count without trust. */
  readonly accepted?: Accepted;
  /** Without trust nothing counts but what denies and asks. */
  readonly required: boolean;
}

/**
 * The scope without what its folder may not decide. `before` is the mode that lower scopes chose: a folder that is
 * not trusted may only choose a narrower one.
 */
export function restrict(
  scope: Scope,
  standing: Standing,
  before: PermissionMode,
  warn: (text: string) => void,
): Scope {
  const { trusted, fix } = standing;
  const settings: Record<string, unknown> = { ...scope.settings };
  const file = scope.file ?? "--settings";
  const drop = (keys: readonly string[], why: string) => {
    if (keys.length > 0) warn(`${file}: ${keys.join(", ")} ignored: ${why}`);
  };
  const untrusted = `this folder is not trusted; to trust it, ${fix}`;
  if (standing.required && !trusted)
    return onlyStricter(scope, (keys) => drop(keys, `trust is required and ${untrusted}`));

  const environment = restrictEnvironment(settings["env"], trusted);
  if (environment.env !== undefined) settings["env"] = environment.env;
  drop(environment.never, "no folder may set variables that load code into programs; set them in your user settings");
  drop(environment.untrusted, untrusted);

  if (!trusted) {
    const taken = Object.keys(settings).filter((key) => NEEDS_TRUST.has(key));
    for (const key of taken) delete settings[key];
    drop(taken, untrusted);
  }

  const permissions = settings["permissions"];
  if (isObject(permissions)) {
    const widened = !trusted && standing.accepted ? sift(permissions, standing.accepted) : undefined;
    const kept: Record<string, unknown> = { ...(widened?.permissions ?? permissions) };
    drop(widened?.taken ?? [], `nobody accepted this here, and ${untrusted}`);
    if (!trusted && widened === undefined) {
      const taken = ["allow", "additionalDirectories"].filter(
        (key) => Array.isArray(kept[key]) && kept[key].length > 0,
      );
      for (const key of taken) delete kept[key];
      drop(
        taken.map((key) => `permissions.${key}`),
        untrusted,
      );
    }
    const mode = kept["defaultMode"] as PermissionMode | undefined;
    const refusal = mode === undefined ? undefined : refuseMode(mode, scope, standing, before);
    if (refusal !== undefined) {
      delete kept["defaultMode"];
      drop([`permissions.defaultMode "${mode}"`], refusal === "trust" ? untrusted : refusal);
    }
    settings["permissions"] = kept;
  }
  return { ...scope, settings };
}

/** The deny and ask rules of a scope and nothing else. */
function onlyStricter(scope: Scope, drop: (keys: readonly string[]) => void): Scope {
  const permissions = isObject(scope.settings["permissions"]) ? scope.settings["permissions"] : {};
  const { deny, ask, ...others } = permissions;
  drop([
    ...Object.keys(scope.settings).filter((key) => key !== "permissions" && key !== "$schema"),
    ...Object.keys(others).map((key) => `permissions.${key}`),
  ]);
  const kept = { ...(deny === undefined ? {} : { deny }), ...(ask === undefined ? {} : { ask }) };
  return { ...scope, settings: { permissions: kept } };
}

/** From the mode that permits least to the one that permits most. */
const WIDTH: readonly PermissionMode[] = ["plan", "dontAsk", "default", "acceptEdits", "auto", "bypassPermissions"];

// Helpers that run commands, addresses that receive data, switches that weaken what the user set up.
const NEEDS_TRUST = new Set([
  "apiKeyHelper",
  "awsAuthRefresh",
  "awsCredentialExport",
  "gcpAuthRefresh",
  "otelHeadersHelper",
  "processWrapper",
  "statusLine",
  "subagentStatusLine",
  "fileSuggestion",
  "defaultShell",
  "sandbox",
  "autoMode",
  "disableAllHooks",
  "claudeMdExcludes",
  "autoMemoryDirectory",
  "allowedHttpHookUrls",
  "httpHookAllowedEnvVars",
  "enableAllProjectMcpServers",
  "enabledMcpjsonServers",
  "enabledPlugins",
  "extraKnownMarketplaces",
  "skipDangerousModePermissionPrompt",
  "skipAutoPermissionPrompt",
  "skipWebFetchPreflight",
  "modelOverrides",
  "modelPrices",
  "forceLoginMethod",
  "forceLoginOrgUUID",
  "plansDirectory",
  "autoMemoryDirectory",
  "cleanupPeriodDays",
]);

function refuseMode(
  mode: PermissionMode,
  scope: Scope,
  { trusted, shipped }: Standing,
  before: PermissionMode,
): string | undefined {
  const wider = WIDTH.indexOf(mode) > WIDTH.indexOf(before);
  const unasked = mode === "bypassPermissions" || mode === "auto";
  if (unasked && wider && (shipped || scope.source === "projectSettings")) {
    return "project settings cannot choose this mode; use --permission-mode or your user settings";
  }
  return wider && !trusted ? "trust" : undefined;
}

function restrictEnvironment(env: unknown, trusted: boolean) {
  const result = {
    env: undefined as Record<string, string> | undefined,
    never: [] as string[],
    untrusted: [] as string[],
  };
  if (!isObject(env)) return result;
  result.env = {};
  for (const [name, value] of Object.entries(env)) {
    const verdict = mayFolderSet(name);
    if (verdict === "yes" || (verdict === "if trusted" && trusted)) result.env[name] = String(value);
    else (verdict === "never" ? result.never : result.untrusted).push(`env.${name}`);
  }
  return result;
}
