// The help page, generated from the tables of commands and flags.

import { spelling } from "./args.ts";
import { COMMANDS } from "../commands.ts";
import { FLAGS, type Flag, type FlagGroup } from "./flags.ts";

export const WIDTH = 100;
const COLUMN = 40;
const SECTIONS: Readonly<Record<FlagGroup, string>> = {
  Output: "Output options",
  Model: "Model options",
  Sessions: "Session options",
  Permissions: "Permission options",
  Prompt: "System prompt options",
  Settings: "Settings options",
  Clients: "Options for programs that drive Keelson",
  Other: "Other options",
};

const USAGE = `Usage: keelson [options] [prompt]
       keelson <command> [options]

Run an agent in the current folder: interactively, or on one prompt with -p.

Examples:
  keelson
  keelson "Explain this error: ENOSPC"
  keelson -p "What does this project do?"
  git diff | keelson -p "Review this change"
  keelson -p --allowedTools="Bash(npm test),Edit" "Make the tests pass"
  keelson -p --continue "Now update the documentation"
  keelson -p --output-format json "List the exported functions" | jq -r .result
`;

export function help(): string {
  const sections = Object.entries(SECTIONS).map(([group, title]) => {
    const flags = FLAGS.filter((flag) => flag.group === group && flag.help !== undefined);
    return [`${title}:`, ...flags.flatMap(entry)].join("\n");
  });
  const commands = COMMANDS.map(({ name, help: does }) => `  ${name.padEnd(14)}${does}`);
  return [
    USAGE,
    ["Commands (see keelson <command> --help):", ...commands, ""].join("\n"),
    ...sections.map((section) => `${section}\n`),
  ].join("\n");
}

function entry(flag: Flag): readonly string[] {
  const left = flag.short === undefined ? `      ${spelling(flag)}` : `  ${spelling(flag)}`;
  const right = wrapLines(describe(flag), WIDTH - COLUMN);
  const beside = left.length <= COLUMN - 2;
  const first = beside ? `${left.padEnd(COLUMN)}${right[0]}` : left;
  return [first, ...(beside ? right.slice(1) : right).map((line) => " ".repeat(COLUMN) + line)];
}

function describe(flag: Flag): string {
  const choices = flag.value.kind === "choice" ? ` (${flag.value.choices.join(", ")})` : "";
  return `${flag.help}${choices}`;
}

export function wrapLines(text: string, width: number): readonly string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!;
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
