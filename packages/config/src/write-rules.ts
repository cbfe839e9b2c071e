// Writes accepted permission updates back to the settings files they are meant for.
// What it cannot write it says; the session keeps its own rules either way.

import { parseRule } from "@keelson/engine";
import { isObject, type PermissionUpdate, type RuleValue } from "@keelson/protocol";
import type * as EditModule from "./edit.ts";
import { ignoreLocalSettings } from "./git-ignore.ts";
import { standardFiles, type StandardFile } from "./scopes.ts";
import { updateSettingsFile, type Change, type FilePlace } from "./settings-file.ts";
import type { Snapshot } from "./snapshot.ts";

export interface Written {
  readonly written: readonly string[];
  /** One sentence each, naming the file. */
  readonly problems: readonly string[];
}

export type WritePlaces = Pick<Snapshot, "cwd" | "home" | "configDir" | "env">;

/** Updates for other destinations than the three settings files are none of its business. */
export async function writeRules(updates: readonly PermissionUpdate[], places: WritePlaces): Promise<Written> {
  const written: string[] = [];
  const problems: string[] = [];
  for (const standard of standardFiles(places)) {
    const own = updates.filter(({ destination }) => destination === standard.source);
    if (own.length === 0) continue;
    // 4 ms; sessions in which nobody accepts a rule never pay it.
    const edits = await import("./edit.ts");
    const refused: string[] = [];
    const change: Change = (text, settings) => {
      if (!edits.isEditable(text)) return NOT_EDITABLE;
      return own.reduce<{ text: string } | { problem: string }>(
        (state, update) => {
          if ("problem" in state) return state;
          const now = state.text === text ? settings : parsed(state.text);
          return apply(state.text, now, update, standard, edits, (why) => void refused.push(why));
        },
        { text },
      );
    };
    const result = await updateSettingsFile(placeOf(standard, places), change);
    problems.push(...refused.map((why) => `${standard.file}: ${why}`));
    if (result.kind === "refused") problems.push(result.problem);
    if (result.kind === "written") written.push(standard.file);
    if (result.kind === "written" && standard.name === "local") {
      const problem = ignoreLocalSettings(places);
      if (problem !== undefined) problems.push(problem);
    }
  }
  return { written, problems };
}

/** Where a standard file may be written, and who may read it. */
export function placeOf({ name, file }: StandardFile, { cwd }: Pick<WritePlaces, "cwd">): FilePlace {
  return { file, private: name !== "project", ...(name === "user" ? {} : { within: cwd }) };
}

export const NOT_EDITABLE = { problem: "is not plain JSON with comments (single quotes, bare names?); mend it first" };

type Edits = typeof EditModule;
type Step = { readonly text: string } | { readonly problem: string };

function apply(
  text: string,
  settings: Readonly<Record<string, unknown>>,
  update: PermissionUpdate,
  { name }: StandardFile,
  edits: Edits,
  refuse: (why: string) => void,
): Step {
  const permissions = settings["permissions"];
  if (permissions !== undefined && !isObject(permissions))
    return { problem: "has permissions that are no object; mend it first" };
  const list = (key: string, same: Same, wanted: Wanted) =>
    changeList(text, permissions?.[key], key, same, wanted, edits);

  switch (update.type) {
    case "setMode":
      if (name === "project" && (update.mode === "bypassPermissions" || update.mode === "auto")) {
        refuse(`project settings cannot choose the mode ${update.mode}`);
        return { text };
      }
      return { text: edits.setAt(text, ["permissions", "defaultMode"], update.mode) };
    case "addDirectories":
      return list("additionalDirectories", sameText, { add: update.directories });
    case "removeDirectories":
      return list("additionalDirectories", sameText, { remove: update.directories });
    case "addRules":
      return list(update.behavior, sameRule, { add: ruleTexts(update.rules, refuse) });
    case "removeRules":
      return list(update.behavior, sameRule, { remove: ruleTexts(update.rules, refuse) });
    case "replaceRules": {
      const texts = ruleTexts(update.rules, refuse);
      return list(update.behavior, sameRule, { only: texts, add: texts });
    }
  }
}

type Same = (written: unknown, wanted: string) => boolean;

interface Wanted {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  /** Whatever is not among these goes. */
  readonly only?: readonly string[];
}

const sameText: Same = (written, wanted) => written === wanted;

const sameRule: Same = (written, wanted) => {
  const one = typeof written === "string" ? parseRule(written) : undefined;
  const other = parseRule(wanted);
  return one !== undefined && one.tool === other?.tool && one.content === other.content;
};

/** Item by item, so that the comments beside the others stay. */
function changeList(text: string, current: unknown, key: string, same: Same, wanted: Wanted, edits: Edits): Step {
  const { add = [], remove = [], only } = wanted;
  const path = ["permissions", key];
  const items: unknown[] | undefined = typeof current === "string" ? [current] : (current as unknown[] | undefined);
  if (items !== undefined && !Array.isArray(items))
    return { problem: `has permissions.${key} that is no list; mend it first` };
  const has = (texts: readonly string[], item: unknown) => texts.some((each) => same(item, each));
  const stays = (item: unknown) => !has(remove, item) && (only === undefined || has(only, item));

  const kept = (items ?? []).filter(stays);
  const fresh = add.filter((each, at) => !kept.some((item) => same(item, each)) && add.indexOf(each) === at);
  if (items === undefined || !Array.isArray(current)) {
    const next = [...kept, ...fresh];
    const isSame = items === undefined ? next.length === 0 : next.length === 1 && next[0] === current;
    return { text: isSame ? text : edits.setAt(text, path, next) };
  }
  let changed = text;
  for (let at = items.length - 1; at >= 0; at--) {
    if (!stays(items[at])) changed = edits.removeAt(changed, path, at);
  }
  for (const each of fresh) changed = edits.appendAt(changed, path, each);
  const result = parsed(changed)["permissions"];
  const holds = isObject(result) && JSON.stringify(result[key]) === JSON.stringify([...kept, ...fresh]);
  return holds ? { text: changed } : { problem: `could not be changed at permissions.${key}` };
}

function ruleTexts(rules: readonly RuleValue[], refuse: (why: string) => void): readonly string[] {
  return rules.flatMap(({ toolName, ruleContent }) => {
    const text = ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
    // Anything else would be read back as another rule, or as none.
    if (parseRule(text)?.tool === toolName) return [text];
    refuse(`${JSON.stringify(text.slice(0, 80))} is not a rule; it is not written`);
    return [];
  });
}

function parsed(text: string): Record<string, unknown> {
  const value: unknown = Bun.JSONC.parse(text.replace(/^\ufeff/, ""));
  return isObject(value) ? value : {};
}
