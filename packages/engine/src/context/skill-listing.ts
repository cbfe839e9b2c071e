// How skills reach the model: one line each, within a budget. Their text is read only when one is invoked. Pure.

/** A skill as the model sees it. */
export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string;
  /** Never cut. */
  readonly bundled: boolean;
  /** Listed without its description. */
  readonly nameOnly?: boolean;
  /** The folder that a nested skill applies to. */
  readonly appliesTo?: string;
}

export interface ListingLimits {
  /** The most characters for the entries of all skills. */
  readonly budget: number;
  /** The most characters of one description. */
  readonly longest: number;
}

// Clients look for this line (test/sessions/skills/listing.test.ts).
const HEADER = "The following skills are available for use with the Skill tool:";

/** A description cut shorter than this says nothing; names alone say as much. */
const SHORTEST = 20;
const CHARACTERS_PER_TOKEN = 4;
const DEFAULT_FRACTION = 0.01;
const DEFAULT_LONGEST = 1536;

/** A hundredth of the context window, unless settings or the environment say otherwise. */
export function listingLimits(
  contextWindow: number,
  settings: { readonly skillListingBudgetFraction?: number; readonly skillListingMaxDescChars?: number },
  override: string | undefined,
): ListingLimits {
  const fraction = settings.skillListingBudgetFraction ?? DEFAULT_FRACTION;
  const fixed = /^\d+$/.test(override ?? "") ? Number(override) : undefined;
  return {
    budget: fixed ?? Math.floor(contextWindow * CHARACTERS_PER_TOKEN * fraction),
    longest: settings.skillListingMaxDescChars ?? DEFAULT_LONGEST,
  };
}

/** Undefined if there are none. */
export function renderSkillListing(skills: readonly ListedSkill[], limits: ListingLimits): string | undefined {
  if (skills.length === 0) return undefined;
  const lines = skillListingLines(skills, limits).filter((line) => line !== undefined);
  const left = skills.length - lines.length;
  const more =
    left === 0 ? [] : [`(${left} more ${left === 1 ? "skill is" : "skills are"} not listed for lack of room.)`];
  return [HEADER, "", ...lines, ...more].join("\n");
}

/** The line of each skill; undefined where there is no room for it. */
export function skillListingLines(
  skills: readonly ListedSkill[],
  { budget, longest }: ListingLimits,
): readonly (string | undefined)[] {
  // With hundreds of skills there is room for names alone, and then no description is worth looking at.
  const least = skills.reduce((sum, { name }) => sum + name.length + "- \n".length, 0);
  const lineOfBundled = (skill: ListedSkill) => lineOf(skill, textOf(skill, longest));
  if (least > budget) return namesWithin(skills, budget, lineOfBundled);
  return withinBudget(
    skills.map((skill) => ({ ...skill, text: textOf(skill, longest) })),
    budget,
  );
}

interface SkillEntry extends ListedSkill {
  readonly text: string;
}

function textOf({ description, whenToUse, nameOnly, appliesTo }: ListedSkill, longest: number): string {
  if (nameOnly) return "";
  const use = whenToUse === undefined || whenToUse === "" ? "" : ` - ${whenToUse}`;
  const suffix = appliesTo === undefined ? "" : ` (for files in ${oneLine(appliesTo)})`;
  return cut(oneLine(`${description}${use}`), longest) + suffix;
}

/** Bundled skills keep their text. Of the others, the longest descriptions are cut first, then all of them go. */
function withinBudget(entries: readonly SkillEntry[], budget: number): readonly (string | undefined)[] {
  const whole = entries.map((entry) => lineOf(entry, entry.text));
  if (sizeOf(whole) <= budget) return whole;
  const others = entries.filter(({ bundled }) => !bundled);
  const fixed = entries.filter(({ bundled }) => bundled).map((entry) => lineOf(entry, entry.text));
  const bare = others.map((entry) => lineOf(entry, ""));
  const room = budget - sizeOf(fixed) - sizeOf(bare) - others.length * ": ".length;
  const cap = capFor(
    others.map(({ text }) => text.length),
    room,
  );
  if (cap >= SHORTEST) {
    return entries.map((entry) => lineOf(entry, entry.bundled ? entry.text : cut(entry.text, cap)));
  }
  return namesWithin(entries, budget, (entry) => lineOf(entry, entry.text));
}

/** As many names as fit, in order; bundled skills keep their text. */
function namesWithin<S extends ListedSkill>(
  skills: readonly S[],
  budget: number,
  lineOfBundled: (skill: S) => string,
): readonly (string | undefined)[] {
  const bundled = new Map(skills.filter((skill) => skill.bundled).map((skill) => [skill, lineOfBundled(skill)]));
  let left = budget - sizeOf([...bundled.values()]);
  return skills.map((skill) => {
    const fixed = bundled.get(skill);
    if (fixed !== undefined || left <= 0) return fixed;
    const line = lineOf(skill, "");
    left -= line.length + 1;
    return left < 0 ? undefined : line;
  });
}

/** The greatest length at which all of them, cut to it, fit into the room. */
function capFor(lengths: readonly number[], room: number): number {
  const rising = lengths.toSorted((a, b) => a - b);
  let left = room;
  for (const [at, length] of rising.entries()) {
    const share = Math.floor(left / (rising.length - at));
    if (length > share) return share;
    left -= length;
  }
  return Infinity;
}

const sizeOf = (lines: readonly string[]) => lines.reduce((sum, line) => sum + line.length + 1, 0);

const lineOf = ({ name }: ListedSkill, text: string) => `- ${oneLine(name)}${text === "" ? "" : `: ${text}`}`;

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).replace(/[\ud800-\udbff]$/, "")}…`;
}

// Whoever wrote a description, it is one entry: no line breaks, no hidden or reordered text, no closing tag.
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

function oneLine(text: string): string {
  return text
    .replace(UNSAFE, " ")
    .replace(/<(\/?)(?=system-reminder)/gi, "<$1 ")
    .replace(/ {2,}/g, " ")
    .trim();
}
