// How skills reach the model: one line each, within a budget. Their text is read only when one is invoked. Pure.

import { withoutReminderTags, printableSentence } from "@keelson/protocol";

/** A skill as the model sees it. */
export interface ListedSkill {
  readonly name: string;
  /** The name with another one. */
  readonly label?: string;
  readonly description: string;
  readonly whenToUse?: string;
  /** Bundled skills are never cut. */
  readonly source: string;
  /** Listed without its description. */
  readonly nameOnly?: boolean;
  /** Follows the description. */
  readonly suffix?: string;
}

export interface SkillsToList {
  /** Without those of bundled skills. */
  readonly names: readonly string[];
  readonly bundled: readonly ListedSkill[];
  /** All of them, in the order in which they are listed. Asked for only if there is room for more than names. */
  whole(): readonly ListedSkill[];
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
export function renderSkillListing(skills: SkillsToList, limits: ListingLimits): string | undefined {
  const count = skills.names.length + skills.bundled.length;
  if (count === 0) return undefined;
  const lines = listLines(skills, limits);
  const left = count - lines.length;
  if (left > 0) lines.push(`(${left} more ${left === 1 ? "skill is" : "skills are"} not listed for lack of room.)`);
  return `${HEADER}\n\n${lines.join("\n")}`;
}

/** What a nested skill says of the folder that it applies to. */
export const folderSuffix = (folder: string) => ` (for files in ${oneLine(folder)})`;

/** What surrounds a name, and a text. */
const FRAME = "- \n".length;
const TEXT_FRAME = ": ".length;

/**
 * Bundled skills keep their text. Of the others, the longest descriptions are cut first, then all of them go, and then
 * skills are left out. There may be hundreds before the first request, so it looks at no more than it needs to.
 */
export function listLines({ names, bundled, whole }: SkillsToList, { budget, longest }: ListingLimits): string[] {
  const wholeLine = (skill: ListedSkill) => lineOf(skill, longest);
  const lengthOf = (skill: ListedSkill) => textLength(skill, longest);
  const namesOnly = () => namesWithin(names, budget, bundled.map(wholeLine));
  let room = budget;
  for (const { name } of bundled) room -= name.length + FRAME;
  for (let at = 0; at < names.length && room >= 0; at++) room -= names[at]!.length + FRAME;
  if (room < 0) return namesOnly();
  for (const skill of bundled) room -= lengthOf(skill);
  const all = whole();
  const others = all.filter(({ source }) => source !== "bundled");
  const cap = capFor(others.map(lengthOf), room) - TEXT_FRAME;
  if (cap < SHORTEST) return namesOnly();
  return all.map((skill) => {
    if (skill.source === "bundled") return wholeLine(skill);
    return lineOf(skill, Math.max(0, Math.min(cap - besideName(skill), longest)));
  });
}

/** As many names as fit, in order. */
function namesWithin(names: readonly string[], budget: number, bundled: readonly string[]): string[] {
  let left = bundled.reduce((rest, line) => rest - line.length - 1, budget);
  const lines: string[] = [];
  for (const name of names) {
    if (left <= 0) break;
    left -= name.length + FRAME;
    if (left >= 0) lines.push(`- ${oneLine(name)}`);
  }
  return [...lines, ...bundled];
}

/** With what surrounds it. */
function textLength(skill: ListedSkill, longest: number): number {
  const { description, whenToUse = "", nameOnly, suffix = "" } = skill;
  if (nameOnly) return 0;
  const length = description.length + (whenToUse === "" ? 0 : " - ".length + whenToUse.length) + suffix.length;
  return (length === 0 ? 0 : Math.min(length, longest) + TEXT_FRAME) + besideName(skill);
}

const besideName = ({ name, label = name }: ListedSkill) => label.length - name.length;

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

function lineOf(skill: ListedSkill, most: number): string {
  const { name, label = name, description, whenToUse = "", nameOnly, suffix = "" } = skill;
  const head = `- ${oneLine(nameOnly ? name : label)}`;
  if (nameOnly) return head;
  const whole = whenToUse === "" ? description : `${description} - ${whenToUse}`;
  // Where there is hardly room for both, what it is for says more.
  const end = most - suffix.length < Math.min(SHORTEST, whole.length) ? "" : suffix;
  const room = most - end.length;
  // What cleaning removes makes room for what comes after it, within reason.
  const isAsItIs = whole.length <= room && PLAIN.test(whole);
  const text = (isAsItIs ? whole : cut(oneLine(whole.slice(0, room * 2 + 20)), room)) + end;
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
  return withoutReminderTags(printableSentence(text)).replace(/ {2,}/g, " ").trim();
}
