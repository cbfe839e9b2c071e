// Changes one list in the text of a settings file, item by item, and keeps the comments beside the others.

import { isObject } from "@keelson/protocol";
import { appendAt, removeAt, setAt } from "./edit.ts";
import { valueAt } from "../check/known.ts";

export type ListChange = { readonly text: string } | { readonly problem: string };
export type Same = (written: unknown, wanted: string) => boolean;

export interface WantedChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  /** Removes everything else. */
  readonly only?: readonly string[];
}

export function changeList(text: string, path: readonly string[], same: Same, wanted: WantedChange): ListChange {
  const { add = [], remove = [], only } = wanted;
  const current = valueAt(parsed(text), path);
  const items: unknown[] | undefined = typeof current === "string" ? [current] : (current as unknown[] | undefined);
  if (items !== undefined && !Array.isArray(items))
    return { problem: `has a ${path.join(".")} that is not a list; fix it first` };
  const has = (texts: readonly string[], item: unknown) => texts.some((each) => same(item, each));
  const stays = (item: unknown) => !has(remove, item) && (only === undefined || has(only, item));

  const kept = (items ?? []).filter(stays);
  const fresh = add.filter((each, at) => !kept.some((item) => same(item, each)) && add.indexOf(each) === at);
  const next = [...kept, ...fresh];
  if (items === undefined || !Array.isArray(current)) {
    const isSame = items === undefined ? next.length === 0 : next.length === 1 && next[0] === current;
    return isSame ? { text } : held(setAt(text, path, next), path, next);
  }
  let changed = text;
  for (let at = items.length - 1; at >= 0; at--) {
    if (!stays(items[at])) changed = removeAt(changed, path, at);
  }
  for (const each of fresh) changed = appendAt(changed, path, each);
  return held(changed, path, next);
}

function held(text: string, path: readonly string[], list: readonly unknown[]): ListChange {
  const holds = JSON.stringify(valueAt(parsed(text), path)) === JSON.stringify(list);
  return holds ? { text } : { problem: `could not be changed at ${path.join(".")}` };
}

export function parsed(text: string): Record<string, unknown> {
  const value: unknown = Bun.JSONC.parse(text.replace(/^\ufeff/, ""));
  return isObject(value) ? value : {};
}
