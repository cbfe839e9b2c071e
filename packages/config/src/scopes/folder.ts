// What the settings files inside a folder may set, by the `folder` column of the table of keys. Pure: it removes values
// and reports what it removed and why. Settings of the user, the administrator and the command line are not restricted.

import type { PermissionMode, Settings } from "@keelson/protocol";
import { KEYS, keysUnder } from "../check/known.ts";
import type * as Variables from "../env/variables.ts";
import type { FolderMaySet } from "../env/variables.ts";
import { sift, type Accepted } from "./accepted.ts";
import type { Scope } from "./scopes.ts";

export interface Standing {
  readonly trusted: boolean;
  /** How to trust the folder, for the warnings. */
  readonly fix: string;
  /** For a local file: what the user accepted in this folder. */
  readonly accepted?: Accepted;
  /** Without trust, only deny and ask rules apply. Except accepted: and what the user accepted. */
  readonly required: "no" | "yes" | "except accepted";
}

/**
 * Removes what the folder may not set. `before` is the permission mode of the lower scopes: an untrusted folder may only
 * choose a stricter one.
 */
export function restrict(
  scope: Scope,
  standing: Standing,
  before: PermissionMode,
  warn: (text: string) => void,
): Scope {
  const { trusted, fix } = standing;
  const settings: Writable<Settings> = { ...scope.settings };
  const file = scope.file ?? "--settings";
  const drop = (keys: readonly string[], why: string) => {
    if (keys.length > 0) warn(`${file}: ${keys.join(", ")} ignored: ${why}`);
  };
  const untrusted = `this folder is not trusted; to trust it, ${fix}`;
  if (standing.required !== "no" && !trusted) {
    const accepted = standing.required === "except accepted" ? standing.accepted : undefined;
    return onlyStricter(scope, accepted, (keys) => drop(keys, `trust is required and ${untrusted}`));
  }

  if (settings.env !== undefined) {
    const { env, never, userOnly, needTrust } = restrictEnvironment(settings.env, trusted);
    settings.env = env;
    drop(
      userOnly,
      "a folder may not set keys, addresses of servers, or where reports go; set them in your user settings",
    );
    drop(never, "a folder may not set variables that make programs load code; set them in your user settings");
    drop(needTrust, untrusted);
  }

  if (!trusted) {
    const taken = Object.keys(settings).filter(needsTrust) as (keyof Settings)[];
    for (const key of taken) delete settings[key];
    drop(taken, untrusted);
  }

  if (settings.permissions !== undefined) {
    const widened = !trusted && standing.accepted ? sift(settings.permissions, standing.accepted) : undefined;
    const kept: Writable<Permissions> = { ...(widened?.permissions ?? settings.permissions) };
    drop(widened?.taken ?? [], `you have not accepted this here, and ${untrusted}`);
    if (!trusted && widened === undefined) {
      const taken = ACCEPTABLE.filter((key) => (kept[key]?.length ?? 0) > 0);
      for (const key of taken) delete kept[key];
      drop(
        taken.map((key) => `permissions.${key}`),
        untrusted,
      );
    }
    const { defaultMode: mode } = kept;
    const refusal = mode === undefined ? undefined : refuseMode(mode, trusted, before);
    if (refusal !== undefined) {
      delete kept.defaultMode;
      drop([`permissions.defaultMode "${mode}"`], refusal === "trust" ? untrusted : refusal);
    }
    settings.permissions = kept;
  }
  return { ...scope, settings };
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };
type Permissions = NonNullable<Settings["permissions"]>;

/** Keeps only the deny and ask rules of a scope, and what the user accepted. */
function onlyStricter(scope: Scope, accepted: Accepted | undefined, drop: (keys: readonly string[]) => void): Scope {
  const { deny, ask, ...others } = scope.settings.permissions ?? {};
  const sifted = accepted && sift(others, accepted);
  const isSifted = (key: string) => sifted !== undefined && ACCEPTABLE.some((each) => each === key);
  drop([
    ...Object.keys(scope.settings).filter((key) => key !== "permissions" && key !== "$schema"),
    ...Object.keys(others).flatMap((key) => (isSifted(key) ? [] : [`permissions.${key}`])),
    ...(sifted?.taken ?? []),
  ]);
  const kept: Writable<Permissions> = {};
  if (deny !== undefined) kept.deny = deny;
  if (ask !== undefined) kept.ask = ask;
  const { allow, additionalDirectories } = sifted?.permissions ?? {};
  if (allow !== undefined) kept.allow = allow;
  if (additionalDirectories !== undefined) kept.additionalDirectories = additionalDirectories;
  return { ...scope, settings: { permissions: kept } };
}

/** Whether an untrusted folder may not set a top-level key, or any key inside it. Unknown keys have no effect. */
function needsTrust(name: string): boolean {
  const keys = keysUnder(name);
  return keys.length > 0 && keys.every(({ folder }) => folder === "if trusted" || folder === "never");
}

/** Lists under `permissions` of which an untrusted folder gets only what the user accepted. */
const ACCEPTABLE = KEYS.filter(({ folder }) => folder === "if accepted").map(
  ({ key }) => key.slice("permissions.".length) as "allow" | "additionalDirectories",
);

/** From the strictest mode to the least strict. */
const WIDTH: readonly PermissionMode[] = ["plan", "dontAsk", "default", "acceptEdits", "auto", "bypassPermissions"];

/** Local files too: many repositories and archives contain one. */
function refuseMode(mode: PermissionMode, trusted: boolean, before: PermissionMode): string | undefined {
  const wider = WIDTH.indexOf(mode) > WIDTH.indexOf(before);
  const neverAsks = mode === "bypassPermissions" || mode === "auto";
  if (neverAsks && wider) {
    return "settings of a folder cannot choose this mode; use --permission-mode or your user settings";
  }
  return wider && !trusted ? "trust" : undefined;
}

function restrictEnvironment(given: NonNullable<Settings["env"]>, trusted: boolean) {
  // Loaded late: few folders set variables, and the table is long.
  const { mayFolderSet } = require("../env/variables.ts") as typeof Variables;
  const env: Record<string, string> = {};
  const dropped = { never: [], "user only": [], "if trusted": [] } as Record<Exclude<FolderMaySet, "yes">, string[]>;
  for (const [name, value] of Object.entries(given)) {
    const verdict = mayFolderSet(name, value);
    if (verdict === "yes" || (verdict === "if trusted" && trusted)) env[name] = value;
    else dropped[verdict].push(`env.${name}`);
  }
  return { env, never: dropped.never, userOnly: dropped["user only"], needTrust: dropped["if trusted"] };
}
