// Skills by what a start asks of them: of hundreds, most differ in nothing but their names.

import type { Skill } from "@keelson/protocol";

export { isTypable } from "../plain.ts";

/** What a start asks of a skill, besides its name. */
type SkillTraits = Pick<
  Skill,
  "kind" | "source" | "userInvocable" | "modelInvocable" | "describedByText" | "untrusted"
>;

export type SkillMember = SkillTraits & Pick<Skill, "name" | "plugin" | "whenToUse">;

/** Skills that are alike and follow each other. */
export interface SkillGroup extends SkillTraits {
  readonly names: readonly string[];
  /** The model is not told of them, though it may invoke them. */
  readonly unlisted?: true;
}

/** Without a description, that of a plugin is not: it may be a note among commands. The model can still invoke it. */
export const isListed = ({ modelInvocable, plugin, describedByText, whenToUse }: SkillMember) =>
  modelInvocable && (plugin === undefined || !describedByText || whenToUse !== undefined);

/** In the order of the skills. */
export function groupSkills(skills: readonly SkillMember[]): readonly SkillGroup[] {
  const groups: (SkillGroup & { readonly names: string[] })[] = [];
  for (const skill of skills) {
    const last = groups.at(-1);
    const group = groupOf(skill);
    if (last !== undefined && areAlike(last, group)) last.names.push(skill.name);
    else groups.push(group);
  }
  return groups;
}

function areAlike(a: SkillGroup, b: SkillGroup): boolean {
  return (
    a.kind === b.kind &&
    a.source === b.source &&
    a.userInvocable === b.userInvocable &&
    a.modelInvocable === b.modelInvocable &&
    a.describedByText === b.describedByText &&
    a.untrusted === b.untrusted &&
    a.unlisted === b.unlisted
  );
}

function groupOf(skill: SkillMember) {
  const { name, kind, source, userInvocable, modelInvocable, describedByText, untrusted } = skill;
  return {
    names: [name],
    kind,
    source,
    userInvocable,
    modelInvocable,
    ...(describedByText && { describedByText }),
    ...(untrusted && { untrusted }),
    ...(modelInvocable && !isListed(skill) && { unlisted: true as const }),
  };
}
