// What the description of Bash says about commits and pull requests, as the settings change it. Pure.

import { withoutReminderTags } from "@keelson/protocol";
import type { GitGuidance } from "./bash.ts";

const GIT_SECTION = /\nGit:\n\n[^]*?\n(?=\nDo not run)/;

export function withGuidance(description: string, git: GitGuidance | false): string {
  if (git === false) return description.replace(GIT_SECTION, "");
  const endings = [...ending("commit messages", git.commit), ...ending("the description of pull requests", git.pr)];
  return endings.length === 0
    ? description
    : description.replace(GIT_SECTION, (section) => `${section}${endings.join("\n")}\n`);
}

const LONGEST_ENDING = 1_000;

/** Settings of a project may have any text, so it is cut, and cannot look like anything but text to copy. */
function ending(of: string, text = ""): string[] {
  const lines = withoutReminderTags(text.slice(0, LONGEST_ENDING))
    .replace(/[^\P{C}\n\u200d]+/gu, "")
    .trim()
    .split("\n");
  if (lines.join("") === "") return [];
  return [
    `- End ${of} with an empty line and this text, which the settings give:`,
    ...lines.map((line) => `      ${line}`),
  ];
}
