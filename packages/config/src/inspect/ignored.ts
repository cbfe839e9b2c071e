// Values in a settings file that do not apply, and why: the folder is not trusted, the key is not allowed in that file,
// or the value is invalid. Found by comparing the file with what was kept of it. Pure.

import { isObject } from "@keelson/protocol";
import { valueAt } from "../check/known.ts";

export interface Ignored {
  readonly path: readonly string[];
  /** Of a list, only the items that do not apply. */
  readonly value: unknown;
  readonly why: string;
  /** The warning that says so, if there is one. */
  readonly warning?: string;
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
      const warning = warningAbout(path.join("."), warnings);
      // Part of a value may also differ because it was normalized, which is not worth a word.
      if (warning === undefined) return whole ? [{ path, value, why: "does not apply here" }] : [];
      return [{ path, value, why: reasonIn(warning), warning }];
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

function warningAbout(key: string, warnings: readonly string[]): string | undefined {
  const [group] = key.split(".");
  return (
    warnings.find((text) => isAbout(text, key)) ??
    warnings.find((text) => text.startsWith(`${key}.`)) ??
    warnings.find((text) => text.includes(` ${key}`) && isAbout(text.slice(text.indexOf(` ${key}`) + 1), key)) ??
    warnings.find((text) => isAbout(text, group!))
  );
}

const isAbout = (text: string, key: string) => text.startsWith(key) && !/[\w.]/.test(text.charAt(key.length));

/** What a warning says, without the key and without the words that say the value is ignored. */
function reasonIn(warning: string): string {
  const [, after] = /^.*? ignored: (.*)$/s.exec(warning) ?? [];
  return after ?? warning.replace(/^\S+ /, "").replace(/; (?:it|this \w+) is ignored(?=$|;)/, "");
}
