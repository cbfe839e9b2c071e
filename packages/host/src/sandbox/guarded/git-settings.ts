// Decides which changes to a git config file may stay: all except settings that make git run a program or redirect it.
// Pure.

import { dangerOf, parseGitConfig, type GitSetting } from "@keelson/engine/git-keys";

export interface SafeSettings {
  /** The corrected content. */
  readonly text: string;
  /** The names of the settings that were reverted. */
  readonly undone: readonly string[];
  /** The whole file was reverted, including harmless changes. */
  readonly isWhole: boolean;
}

export interface GitSettingsFile {
  /** Exempts settings that this file needs. */
  isHarmless?(setting: GitSetting): boolean;
  /** The file may contain conflict markers from a merge. Git stops reading at the first one. */
  readonly mayBeBroken?: boolean;
}

/** Null if every change may stay. */
export function safeSettings(
  before: string,
  after: string,
  { isHarmless = () => false, mayBeBroken = false }: GitSettingsFile = {},
): SafeSettings | null {
  const isDangerous = (setting: GitSetting) => dangerOf(setting) !== undefined && !isHarmless(setting);
  const dangerous = (text: string) => parseGitConfig(text).settings.filter(isDangerous);
  const [old, now] = [dangerous(before), dangerous(after)];
  const isBroken = !mayBeBroken && parseGitConfig(after).broken;
  if (!isBroken && sameSettings(old, now)) return null;
  if (isBroken && before === after) return null;
  if (isBroken) return { text: before, undone: ["a line that git cannot read"], isWhole: true };

  const added = subtract(now, old);
  const removed = subtract(old, now);
  const text = removed.map(toConfigText).reduce((all, one) => all + one, removeSettings(after, added));
  const undone = [...new Set([...added, ...removed].map(({ name }) => name))];
  // However the text was crafted, use the result only if it is right; otherwise restore the old file.
  const result = parseGitConfig(text);
  const isRight = !result.broken && sameSettings(sorted(old), sorted(result.settings.filter(isDangerous)));
  return { text: isRight ? text : before, undone, isWhole: !isRight };
}

const keyOf = ({ name, value }: GitSetting) => JSON.stringify([name, value]);
const sorted = (settings: readonly GitSetting[]) => settings.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

function sameSettings(a: readonly GitSetting[], b: readonly GitSetting[]): boolean {
  return a.length === b.length && a.every((setting, at) => keyOf(setting) === keyOf(b[at]!));
}

/** The settings in `from` that are not in `other`, counting duplicates. If only the order changed, returns all. */
function subtract(from: readonly GitSetting[], other: readonly GitSetting[]): readonly GitSetting[] {
  if (sameSettings(sorted(from), sorted(other))) return from;
  const left = other.map(keyOf);
  return from.filter((setting) => {
    const at = left.indexOf(keyOf(setting));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
}

function removeSettings(text: string, settings: readonly GitSetting[]): string {
  return settings.toReversed().reduce((all, { from, to }) => {
    const lineStart = all.lastIndexOf("\n", from - 1) + 1;
    const isOwnLine = all.slice(lineStart, from).trim() === "";
    return all.slice(0, isOwnLine ? lineStart : from) + all.slice(isOwnLine && all[to] === "\n" ? to + 1 : to);
  }, text);
}

function toConfigText({ section, subsection, key, value }: GitSetting): string {
  const quoted = (text: string) => `"${text.replaceAll(/["\\]/g, "\\$&")}"`;
  const header = subsection === undefined ? `[${section}]` : `[${section} ${quoted(subsection)}]`;
  if (value === null) return `\n${header}\n\t${key}\n`;
  const escaped = quoted(value).replaceAll("\n", "\\n").replaceAll("\t", "\\t").replaceAll("\b", "\\b");
  return `\n${header}\n\t${key} = ${escaped}\n`;
}
