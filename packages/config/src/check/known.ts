// Finds keys of the table: by name, by the group they stand in, by what a person typed. Pure.

import { isObject } from "@keelson/protocol";
import { KEYS, type Key } from "./keys.ts";

const BY_NAME: ReadonlyMap<string, Key> = new Map(KEYS.map((known) => [known.key, known]));
/** Names of the objects that hold known keys: `permissions`, `sandbox.network` … */
const GROUPS: ReadonlySet<string> = new Set(
  KEYS.flatMap(({ key }) => {
    const parts = key.split(".");
    return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("."));
  }),
);

export const knownKey = (name: string): Key | undefined => BY_NAME.get(name);
export const isGroup = (name: string): boolean => GROUPS.has(name);

export interface KeyPath {
  readonly path: readonly string[];
  readonly known: Key;
  /** The path names one entry of a key that is a table of names, such as a variable under `env`. */
  readonly entry: boolean;
}

/** What `a.b.c` on the command line stands for. Names inside tables may have dots of their own. */
export function keyPath(typed: string): KeyPath | undefined {
  const known = knownKey(typed);
  if (known !== undefined) return { path: typed.split("."), known, entry: false };
  for (let dot = typed.indexOf("."); dot > 0; dot = typed.indexOf(".", dot + 1)) {
    const table = knownKey(typed.slice(0, dot));
    const name = typed.slice(dot + 1);
    if (table !== undefined && isTable(table) && name !== "" && name !== "__proto__") {
      return { path: [...table.key.split("."), name], known: table, entry: true };
    }
  }
  return undefined;
}

const isTable = ({ type: { kind } }: Key) => ["map", "variables", "prices"].includes(kind);

/** The value at a path of names; undefined when there is none. */
export function valueAt(settings: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), settings);
}
