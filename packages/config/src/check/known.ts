// Looks up settings keys: by name, by group, or as typed on the command line. Pure.

import { isObject } from "@keelson/protocol";
import { SETTINGS_TABLE, type SettingsRow } from "@keelson/protocol/settings-table";

export interface KnownKey extends SettingsRow {
  readonly key: string;
}

export const KEYS: readonly KnownKey[] = Object.entries<SettingsRow>(SETTINGS_TABLE).map(([key, row]) => ({
  key,
  ...row,
}));

const BY_NAME: ReadonlyMap<string, KnownKey> = new Map(KEYS.map((known) => [known.key, known]));

export const knownKey = (name: string): KnownKey | undefined => BY_NAME.get(name);
/** Whether it is an object that holds known keys: `permissions`, `sandbox.network` … */
export const isGroup = (name: string): boolean => KEYS.some(({ key }) => key.startsWith(`${name}.`));

/** The rows of a key, or of all keys in a group. */
export const keysUnder = (name: string): readonly KnownKey[] =>
  KEYS.filter(({ key }) => key === name || key.startsWith(`${name}.`));

export interface KeyPath {
  readonly path: readonly string[];
  readonly known: KnownKey;
  /** Whether the path names an entry inside a key that maps names to values, such as a variable in `env`. */
  readonly entry: boolean;
}

/** The key that `a.b.c` on the command line means. Names inside maps may contain dots. */
export function keyPath(typed: string): KeyPath | undefined {
  const known = knownKey(typed);
  if (known !== undefined) return { path: typed.split("."), known, entry: false };
  for (let dot = typed.indexOf("."); dot > 0; dot = typed.indexOf(".", dot + 1)) {
    const map = knownKey(typed.slice(0, dot));
    const name = typed.slice(dot + 1);
    if (map !== undefined && holdsNames(map) && name !== "" && name !== "__proto__") {
      return { path: [...map.key.split("."), name], known: map, entry: true };
    }
  }
  return undefined;
}

/** Whether the value of a key maps names to values. */
export const holdsNames = ({ type: { kind } }: Pick<KnownKey, "type">): boolean =>
  ["map", "variables", "prices", "providers"].includes(kind);

export function valueAt(settings: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), settings);
}

/** Fields of a provider; the wrong place for a key is a common one. */
export const isSecretField = (name: string): boolean =>
  /api_?key$|^key$|_key$|token$|secret|passw|credential|authorization|headers|query/i.test(name);

/** Whether a value must not appear on a screen, in a transcript or in a bug report. */
export function isSecret({ key, value }: { readonly key: string; readonly value?: unknown }): boolean {
  if (key.startsWith("providers.")) {
    const names = isObject(value) ? Object.keys(value) : [];
    return [key.slice(key.lastIndexOf(".") + 1), ...names].some((name) => isSecretField(name));
  }
  return /^env\..*(KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|HEADERS|AUTH|COOKIE)/i.test(key);
}
