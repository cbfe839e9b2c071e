// The skills and slash commands of a session, as found on disk. Their text is read only when one is invoked.

import type { Skill, SkillProblem } from "@keelson/protocol";
import type { SkillSettings } from "./find/places.ts";
import type { SkillGroup } from "./index/skill-groups.ts";

export interface SkillSet {
  /** What can be invoked now: user, project, additional directories, plugins; skills before commands. */
  readonly skills: readonly Skill[];
  /** The same ones, in the same order, as far as a start needs them. */
  readonly groups: readonly SkillGroup[];
  /** Skills with `paths` that no touched file has matched yet. */
  readonly dormant: readonly Skill[];
  /** Skills of plugins that a command of the same plugin hides. Only the plugin's own agents can use them. */
  readonly hidden: readonly Skill[];
  /** What is not used, or only in part, and why. */
  readonly problems: readonly SkillProblem[];
  /**
   * Skills that apply because a call touched this file: those of folders above it, and dormant ones whose `paths` match.
   * They are in `skills` from now on. Cheap if nothing is new.
   */
  touched(path: string): readonly Skill[];
  /** Whether files were added, changed or removed since the set was loaded. */
  changed(): boolean;
  /** Whether the file of a skill is as it was when its frontmatter was read. Ask before it is invoked. */
  isCurrent(skill: Pick<Skill, "file">): boolean;
  /**
   * Writes what the files say to the user's cache, if there are many and some changed, so that the next start is faster.
   * Call it when there is time. Never throws.
   */
  saveIndex(): void;
  /** Reads everything again, with newer settings if there are any. Touched files that added skills do so again. */
  reload(settings?: SkillSettings): SkillSet;
}
