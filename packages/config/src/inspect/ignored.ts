// Values in a settings file that do not apply, and why: the folder is not trusted, the key is not allowed in that file,
// or the value is invalid. Found by comparing the file with what was kept of it. Pure.

import { isObject } from "@keelson/protocol";
import { valueAt } from "../check/known.ts";

export interface Ignored {
  readonly path: readonly string[];
  /** Of a list, only the items that do not apply. */
  readonly value: unknown;
  readonly why: string;
}

type Settings = Readonly<Record<string, unknown>>;

/** `warnings` are those about this file, without its name in front. */
export function ignoredValues(
  written: readonly { readonly path: readonly string[]; readonly value: unknown }[],
  kept: Settings,
  warnings: readonly string[],
): readonly Ignored[] {
  return written
    .flatMap(({ path, value }) => lost(path, value, valueAt(kept, path)))
    .flatMap(({ path, value, whole }) => {
      const why = reasonFor(path.join("."), warnings);
      // Part of a value may also differ because it was normalized, which is not worth a word.
      return why === undefined && !whole ? [] : [{ path, value, why: why ?? "does not apply here" }];
    });
}

interface Lost {
  readonly path: readonly string[];
  readonly value: unknown;
  /** All of the value is gone, as opposed to items of a list. */
  readonly whole: boolean;
}

function lost(path: readonly string[], value: unknown, kept: unknown): readonly Lost[] {
  if (kept === undefined) return isEmpty(value) ? [] : [{ path, value, whole: true }];
  if (Array.isArray(value) && Array.isArray(kept)) {
    const same = new Set(kept.map((item) => JSON.stringify(item)));
    const gone = value.filter((item) => !same.has(JSON.stringify(item)));
    return gone.length === 0 ? [] : [{ path, value: gone, whole: false }];
  }
  if (!isObject(value) || !isObject(kept)) return [];
  return Object.entries(value).flatMap(([name, inner]) => lost([...path, name], inner, valueAt(kept, [name])));
}

const isEmpty = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;

function reasonFor(key: string, warnings: readonly string[]): string | undefined {
  const names = (text: string, at: number) => at >= 0 && !/[\w.]/.test(text.charAt(at + key.length));
  const found =
    warnings.find((text) => text.startsWith(key) && names(text, 0)) ??
    warnings.find((text) => text.startsWith(`${key}.`)) ??
    warnings.find((text) => names(text, text.indexOf(` ${key}`) + 1));
  if (found === undefined) return undefined;
  const [, after] = /^.*? ignored: (.*)$/s.exec(found) ?? [];
  return after ?? found.replace(/^\S+ /, "").replace(/; (?:it|this \w+) is ignored$/, "");
}
