// What an index says of the skills in a folder.

import type { Origin } from "../collect.ts";
import { isListable } from "../plain.ts";
import type { ReadFacts } from "../skill-file.ts";
import { groupSkills, type SkillMember } from "./skill-groups.ts";
import { BETWEEN, readyFile, USUAL, type PackedGroup, type SkillDetails } from "./ready-skill.ts";
import type { PackedItems } from "./save-index.ts";
import type { IndexEntry, IndexItem } from "./skill-index.ts";

/** Neighbours that are alike become one item. */
export function packSkills(
  entries: readonly IndexEntry<ReadFacts>[],
  top: string,
  origin: Origin,
): PackedItems<ReadFacts, PackedGroup, SkillDetails> {
  const items: IndexItem<ReadFacts, PackedGroup>[] = [];
  const details: (SkillDetails | null)[] = [];
  let alike: SkillMember[] = [];
  const endGroups = () => {
    for (const { names, ...traits } of groupSkills(alike)) items.push({ names: names.join(BETWEEN), ...traits });
    alike = [];
  };
  for (const entry of entries) {
    const isReady = isAlwaysSame(entry, top, origin);
    details.push(isReady ? detailsOf(entry) : null);
    if (isReady) alike.push(memberOf(entry, origin));
    else {
      endGroups();
      items.push(entry);
    }
  }
  endGroups();
  return { items, details };
}

/** Whether the skill depends on nothing but its file and the folder. */
function isAlwaysSame([file, facts, name, found]: IndexEntry<ReadFacts>, top: string, origin: Origin): boolean {
  const { draft, hooks, oddities } = facts;
  const isPlain = hooks === undefined && oddities.length === 0 && draft.paths === undefined && isListable(name);
  return isPlain && origin.plugin === undefined && file === found && file === readyFile(top, origin.kind, name);
}

function memberOf([, { draft }, name]: IndexEntry<ReadFacts>, { kind, source, untrusted }: Origin): SkillMember {
  const { userInvocable, modelInvocable, describedByText } = draft;
  const marks = { ...(describedByText && { describedByText }), ...(untrusted && { untrusted }) };
  return { name, kind, source, userInvocable, modelInvocable, ...marks };
}

function detailsOf([, { draft, named }, name]: IndexEntry<ReadFacts>): SkillDetails {
  const { kind: _, userInvocable: _user, modelInvocable: _model, describedByText: _text, ...rest } = draft;
  const unusual = Object.entries(rest).filter(([key, value]) => !isUsual(key, value));
  const isShown = named !== undefined && named !== name.slice(name.lastIndexOf(":") + 1);
  return { ...(Object.fromEntries(unusual) as typeof rest), ...(isShown && { displayName: named }) };
}

const isUsual = (key: string, value: unknown) =>
  key in USUAL && JSON.stringify(value) === JSON.stringify(USUAL[key as keyof typeof USUAL]);
