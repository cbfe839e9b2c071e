// The second answer of a permission dialog: yes, and do not ask again. It says which rule is stored where, and stores
// exactly that.

import { ruleText, savedIn, type PermissionAsk } from "@keelson/client/permission-ask";
import type { PermissionUpdate } from "@keelson/protocol";
import { shortPath, showRow } from "../visible.ts";

export interface Remember {
  readonly label: string;
  readonly description?: string;
  readonly updates: readonly PermissionUpdate[];
  /** It allows all edits; Shift+Tab chooses it. */
  readonly edits: boolean;
}

export function rememberOf(
  ask: PermissionAsk,
  place: { readonly cwd: string; readonly home: string },
): Remember | undefined {
  const { suggestions } = ask;
  const mode = suggestions.find((update) => update.type === "setMode");
  const others = suggestions.filter((update) => update.type !== "setMode");
  const folders = others.flatMap((update) => ("directories" in update ? update.directories : []));
  const names = folders.map((folder) => shortPath(`${folder}/`, place)).join(", ");
  if (mode && (ask.kind === "edit" || others.length === 0)) {
    const also = folders.length > 0 ? `, also in ${names}` : "";
    return {
      label: `Yes, and allow all edits this session${also}`,
      description: `Turns on ${mode.mode === "acceptEdits" ? "accept-edits" : mode.mode} mode; nothing is saved`,
      updates: suggestions,
      edits: true,
    };
  }
  if (others.length === 0) return undefined;
  const rules = others.flatMap((update) => ("rules" in update ? update.rules : []));
  const [label, description] = worded(
    rules.map((rule) => showRow(ruleText(rule))),
    names,
    destinationsOf(others),
    readFolder(ask, rules),
  );
  return { label, ...(description === undefined ? {} : { description }), updates: others, edits: false };
}

function worded(rules: readonly string[], folders: string, stored: readonly string[], reads: string | undefined) {
  const saved = stored.length > 0;
  const until = saved ? "from now on" : "this session";
  const where = saved ? `Saved in ${stored.join(" and ")}` : "Nothing is saved";
  const ruleList = rules.join(", ");
  if (reads !== undefined) return [`Yes, and allow reading ${reads} ${until}`, `${ruleList} · ${where}`] as const;
  if (rules.length === 0) return [`Yes, and allow access to ${folders} ${until}`, where] as const;
  const also = folders === "" ? "" : ` and access to ${folders}`;
  return [`Yes, and allow ${ruleList}${also} ${until}`, where] as const;
}

/** The folder, if the only rule is for reading everything in one. */
function readFolder(
  ask: PermissionAsk,
  rules: readonly { readonly toolName: string; readonly ruleContent?: string }[],
) {
  const [rule] = rules;
  if (rules.length !== 1 || rule!.toolName !== "Read" || ask.suggestions.length !== 1) return undefined;
  const folder = /^\/(\/.+\/)\*\*$/.exec(rule!.ruleContent ?? "")?.[1];
  return folder === undefined ? undefined : showRow(folder);
}

const destinationsOf = (updates: readonly PermissionUpdate[]) => [
  ...new Set(updates.flatMap((update) => savedIn(update) ?? [])),
];
