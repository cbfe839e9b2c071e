// How skills reach the model: one line each, within a budget. Their text is read only when one is invoked. Pure.

import { printableSentence } from "@keelson/protocol";

/** A skill as the model sees it. */
export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  readonly whenToUse?: string;
  /** Bundled skills are never cut. */
  readonly source: string;
  /** Listed without its description. */
  readonly nameOnly?: boolean;
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

/** Undefined if there are none. `folderOf` is the folder that a nested skill applies to. */
export function renderSkillListing<S extends ListedSkill>(
  skills: readonly S[],
  limits: ListingLimits,
  folderOf: (skill: S) => string | undefined = () => undefined,
): string | undefined {
  if (skills.length === 0) return undefined;
  const lines = listLines(skills, limits, (skill) => {
    const folder = skill.source === "nested" ? folderOf(skill) : undefined;
    return folder === undefined ? "" : ` (for files in ${oneLine(folder)})`;
  });
  const left = skills.length - lines.length;
  if (left > 0) lines.push(`(${left} more ${left === 1 ? "skill is" : "skills are"} not listed for lack of room.)`);
  return `${HEADER}\n\n${lines.join("\n")}`;
}

/** What surrounds a name, and a text. */
const FRAME = "- \n".length;
const TEXT_FRAME = ": ".length;

/**
 * Bundled skills keep their text. Of the others, the longest descriptions are cut first, then all of them go, and then
 * skills are left out. There may be hundreds before the first request, so it looks at no more than it needs to.
 */
export function listLines<S extends ListedSkill>(
  skills: readonly S[],
  { budget, longest }: ListingLimits,
  suffixOf: (skill: S) => string,
): string[] {
  let names = 0;
  for (const { name } of skills) {
    names += name.length + FRAME;
    if (names > budget) return namesWithin(skills, budget, (skill) => lineOf(skill, longest, suffixOf(skill)));
  }
  const lengths = skills.map((skill) => {
    const length = skill.nameOnly ? 0 : rawLength(skill) + suffixOf(skill).length;
    return length === 0 ? 0 : Math.min(length, longest) + TEXT_FRAME;
  });
  let room = budget - names;
  const others: number[] = [];
  for (let at = 0; at < lengths.length; at++) {
    if (skills[at]!.source === "bundled") room -= lengths[at]!;
    else others.push(lengths[at]!);
  }
  const cap = capFor(others, room) - TEXT_FRAME;
  if (cap < SHORTEST) return namesWithin(skills, budget, (skill) => lineOf(skill, longest, suffixOf(skill)));
  return skills.map((skill) => {
    const most = skill.source === "bundled" ? longest : Math.min(cap, longest);
    return lineOf(skill, most, suffixOf(skill));
  });
}

/** As many names as fit, in order. */
function namesWithin<S extends ListedSkill>(
  skills: readonly S[],
  budget: number,
  whole: (skill: S) => string,
): string[] {
  const bundled = skills.filter(({ source }) => source === "bundled").map(whole);
  let left = bundled.reduce((rest, line) => rest - line.length - 1, budget);
  const lines: string[] = [];
  for (const skill of skills) {
    if (left <= 0) break;
    if (skill.source === "bundled") continue;
    left -= skill.name.length + FRAME;
    if (left >= 0) lines.push(`- ${oneLine(skill.name)}`);
  }
  return [...lines, ...bundled];
}

function rawLength({ description, whenToUse = "" }: ListedSkill): number {
  return description.length + (whenToUse === "" ? 0 : " - ".length + whenToUse.length);
}

/** The greatest length at which all of them, cut to it, fit into the room. */
function capFor(lengths: readonly number[], room: number): number {
  let whole = 0;
  for (const length of lengths) whole += length;
  if (whole <= room) return Infinity;
  const rising = lengths.toSorted((a, b) => a - b);
  let left = room;
  for (const [at, length] of rising.entries()) {
    const share = Math.floor(left / (rising.length - at));
    if (length > share) return share;
    left -= length;
  }
  return Infinity;
}

function lineOf({ name, description, whenToUse = "", nameOnly }: ListedSkill, most: number, suffix: string): string {
  const head = `- ${oneLine(name)}`;
  if (nameOnly) return head;
  const whole = whenToUse === "" ? description : `${description} - ${whenToUse}`;
  // Where there is hardly room for both, what it is for says more.
  const end = most - suffix.length < Math.min(SHORTEST, whole.length) ? "" : suffix;
  const room = most - end.length;
  // What cleaning removes makes room for what comes after it, within reason.
  const text = cut(oneLine(whole.slice(0, room * 2 + 20)), room) + end;
  return text === "" ? head : `${head}: ${text}`;
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1)).replace(/[\ud800-\udbff]$/, "")}…`;
}

// Whoever wrote a description, it is one entry: no line breaks, no hidden or reordered text, no closing tag.
// Most texts are plain already.
const PLAIN = /^[\x21-\x3b\x3d-\x7e]+(?: [\x21-\x3b\x3d-\x7e]+)*$/;

function oneLine(text: string): string {
  if (PLAIN.test(text)) return text;
  return printableSentence(text)
    .replace(/<(?=\s*\/?\s*system-reminder)/gi, "‹")
    .replace(/ {2,}/g, " ")
    .trim();
}
