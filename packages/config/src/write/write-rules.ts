// Writes accepted permission updates to settings files and reports what it cannot write. The session applies its rules in
// either case.

import { parseRule } from "@keelson/engine";
import { isObject, type PermissionUpdate, type RuleValue } from "@keelson/protocol";
import type { Acceptance } from "./accept.ts";
import type * as ChangeListModule from "./change-list.ts";
import type { Same, ListChange, WantedChange } from "./change-list.ts";
import type * as EditModule from "./edit.ts";
import { ignoreLocalSettings } from "./git-ignore.ts";
import { isSameRule } from "../load/rules.ts";
import { standardFiles, type StandardFile } from "../scopes/scopes.ts";
import { NOT_EDITABLE, updateSettingsFile, type Change, type FilePlace } from "./settings-file.ts";
import type { Snapshot } from "../load/snapshot.ts";
import type { FolderPlace } from "./project-flag.ts";

export interface Written {
  readonly written: readonly string[];
  /** One sentence each, with the file. */
  readonly problems: readonly string[];
}

export type WritePlaces = Pick<Snapshot, "cwd" | "home" | "configDir" | "env" | "origin">;

/** Ignores updates for other destinations than the three settings files. */
export async function writeRules(updates: readonly PermissionUpdate[], places: WritePlaces): Promise<Written> {
  const written: string[] = [];
  const problems: string[] = [];
  for (const standard of standardFiles(places)) {
    const own = updates.filter(({ destination }) => destination === standard.source);
    if (own.length === 0) continue;
    const elsewhere = keptElsewhere(standard, places);
    if (elsewhere !== undefined) {
      problems.push(elsewhere);
      continue;
    }
    // 4 ms, only for sessions in which a rule is accepted.
    const edits = { ...(await import("./edit.ts")), ...(await import("./change-list.ts")) };
    const refused: string[] = [];
    const change: Change = (text, settings) => {
      if (!edits.isEditable(text)) return NOT_EDITABLE;
      return own.reduce<{ text: string } | { problem: string }>(
        (state, update) => {
          if ("problem" in state) return state;
          const now = state.text === text ? settings : edits.parsed(state.text);
          return apply(
            update,
            { text: state.text, settings: now, name: standard.name },
            edits,
            (why) => void refused.push(why),
          );
        },
        { text },
      );
    };
    const result = await updateSettingsFile(writeTarget(standard, places), change);
    problems.push(...refused.map((why) => `${standard.file}: ${why}`));
    if (result.kind === "refused") problems.push(result.problem);
    if (result.kind === "written") written.push(standard.file);
    if (standard.name !== "local" || result.kind === "refused") continue;
    const { accept } = await import("./accept.ts");
    const troubles = [
      // Even if the file did not change: it may already contain the rule that was just accepted.
      await accept(own.flatMap(acceptanceOf), places),
      result.kind === "written" ? ignoreLocalSettings(places) : undefined,
    ];
    problems.push(...troubles.filter((trouble) => trouble !== undefined));
  }
  return { written, problems };
}

/** With --project-config-root, the other folder is not written, and the working directory's files are not read. */
export function keptElsewhere({ name }: StandardFile, { origin }: Pick<WritePlaces, "origin">): string | undefined {
  const { projectConfigRoot: root } = origin.flags;
  if (name === "user" || root === undefined) return undefined;
  return `${name} settings are read from ${root} (--project-config-root) and cannot be changed`;
}

export function writeTarget({ name, file }: StandardFile, places: FolderPlace): FilePlace {
  return { file, private: name !== "project", ...(name === "user" ? {} : { within: places.cwd, folder: places }) };
}

type Edits = typeof EditModule & typeof ChangeListModule;

interface FileNow {
  readonly name: StandardFile["name"];
  readonly text: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

function apply(
  update: PermissionUpdate,
  { name, text, settings }: FileNow,
  edits: Edits,
  refuse: (why: string) => void,
): ListChange {
  const permissions = settings["permissions"];
  if (permissions !== undefined && !isObject(permissions))
    return { problem: "has permissions that are not an object; fix it first" };
  const list = (key: string, same: Same, wanted: WantedChange) =>
    edits.changeList(text, ["permissions", key], same, wanted);

  switch (update.type) {
    case "setMode":
      if (name !== "user" && (update.mode === "bypassPermissions" || update.mode === "auto")) {
        refuse(`settings of a folder cannot choose the mode ${update.mode}`);
        return { text };
      }
      return { text: edits.setAt(text, ["permissions", "defaultMode"], update.mode) };
    case "addDirectories":
      return list("additionalDirectories", sameText, { add: update.directories });
    case "removeDirectories":
      return list("additionalDirectories", sameText, { remove: update.directories });
    case "addRules":
      return list(update.behavior, isSameRule, { add: ruleTexts(update.rules, refuse) });
    case "removeRules":
      return list(update.behavior, isSameRule, { remove: ruleTexts(update.rules, refuse) });
    case "replaceRules": {
      const texts = ruleTexts(update.rules, refuse);
      return list(update.behavior, isSameRule, { only: texts, add: texts });
    }
  }
}

const sameText: Same = (written, wanted) => written === wanted;

/** What an update of the local file accepts or revokes in an untrusted folder. */
function acceptanceOf(update: PermissionUpdate): readonly Acceptance[] {
  switch (update.type) {
    case "setMode":
      return [];
    case "addDirectories":
      return [{ list: "directories", wanted: { add: update.directories } }];
    case "removeDirectories":
      return [{ list: "directories", wanted: { remove: update.directories } }];
    default: {
      if (update.behavior !== "allow") return [];
      const rules = ruleTexts(update.rules, () => undefined);
      return [{ list: "rules", wanted: update.type === "removeRules" ? { remove: rules } : { add: rules } }];
    }
  }
}

function ruleTexts(rules: readonly RuleValue[], refuse: (why: string) => void): readonly string[] {
  return rules.flatMap(({ toolName, ruleContent }) => {
    const text = ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
    // Anything else would be read back as another rule or as none.
    if (parseRule(text)?.tool === toolName) return [text];
    refuse(`${JSON.stringify(text.slice(0, 80))} is not a rule; it was not written`);
    return [];
  });
}
