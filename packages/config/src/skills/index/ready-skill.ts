// Skills in an index: most are the same in every session that finds them. What a start asks of them is apart from the
// rest, so that nothing else is parsed or made before the first request.

import type { Skill } from "@keelson/protocol";
import type { ReadFacts } from "../skill-file.ts";
import type { SkillGroup } from "./skill-groups.ts";
import type { FileIndex, ReadyForm, Recalled } from "./skill-index.ts";

/** The rest: what the file of a skill says and `USUAL` does not. */
export type SkillDetails = Pick<Skill, "description" | "displayName"> & Partial<ReadFacts["draft"]>;

/** All names in one text, which is split faster than a list is parsed. Names of files have no slashes. */
export type PackedGroup = Omit<SkillGroup, "names"> & { readonly names: string };

export type SkillIndex = FileIndex<ReadFacts, PackedGroup, SkillDetails>;
export type RecalledSkills = Recalled<ReadFacts, PackedGroup, SkillDetails>;

export const unpackGroup = (group: PackedGroup): SkillGroup => ({ ...group, names: group.names.split(BETWEEN) });

export const BETWEEN = "/";
export const USUAL = { argumentNames: [], allowedTools: [], disallowedTools: [], shell: "bash" } as const;

/** Where the file of such a skill is, if the index is about the folder `top`. */
export function readyFile(top: string, kind: Skill["kind"], name: string): string {
  return kind === "skill" ? `${top}/${name}/SKILL.md` : `${top}/${name.replaceAll(":", "/")}.md`;
}

/** The name that such a skill has if this is its file. */
export function readyName(top: string, kind: Skill["kind"], file: string): string | undefined {
  if (!file.startsWith(`${top}/`)) return undefined;
  const inner = file.slice(top.length + 1);
  const name = kind === "skill" ? inner.replace(/\/SKILL\.md$/, "") : inner.replace(/\.md$/, "").replaceAll("/", ":");
  return readyFile(top, kind, name) === file ? name : undefined;
}

/** How an index of this folder is read. */
export const skillForm = (top: string): ReadyForm<ReadFacts, PackedGroup, SkillDetails> => ({
  filesOf: ({ kind, names }) => names.split(BETWEEN).map((name) => readyFile(top, kind, name)),
  factsOf: readyFacts,
});

/** What the file of such a skill says. */
export function readyFacts(traits: Omit<SkillGroup, "names">, { displayName, ...details }: SkillDetails): ReadFacts {
  const { kind, userInvocable, modelInvocable, describedByText } = traits;
  return {
    draft: { ...USUAL, ...details, kind, userInvocable, modelInvocable, ...(describedByText && { describedByText }) },
    ...(displayName !== undefined && { named: displayName }),
    oddities: [],
  };
}

/** The skill of this name in a group. */
export function readySkill(
  { names: _, ...traits }: SkillGroup,
  name: string,
  details: SkillDetails,
  { top, base }: { readonly top: string; readonly base: string },
): Skill {
  const file = readyFile(top, traits.kind, name);
  const folder = file.slice(0, file.lastIndexOf("/"));
  return { ...USUAL, ...details, ...traits, name, file, folder, base, hooks: [] };
}
