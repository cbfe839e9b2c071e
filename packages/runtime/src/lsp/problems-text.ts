// New diagnostics as text for the model, bounded. What servers write in them cannot end the reminder they are in. Pure.

import { isAbsolute, relative, sep } from "node:path";
import type { FileProblems } from "@keelson/host/lsp";
import { withoutReminderTags, printableSentence, type CodeProblem } from "@keelson/protocol";

const MOST_LISTED = 30;
const MOST_PER_FILE = 10;
const MAX_MESSAGE = 400;

export function problemsText(files: readonly FileProblems[], cwd: string): string {
  const lines: string[] = [];
  let count = 0;
  for (const { path, problems } of files) {
    count += problems.length;
    const worst = problems.toSorted((a, b) => rank(a) - rank(b) || a.line - b.line);
    for (const problem of worst.slice(0, MOST_PER_FILE)) {
      if (lines.length < MOST_LISTED) lines.push(`${shown(path, cwd)}:${lineText(problem)}`);
    }
  }
  const more = count > lines.length ? [`(${count - lines.length} more are not listed.)`] : [];
  const heading = "Language servers report new problems after your edits:";
  return plain(["<new-diagnostics>", heading, ...lines, ...more, "</new-diagnostics>"]);
}

const rank = ({ severity }: CodeProblem) => (severity === "error" ? 0 : 1);

function lineText({ line, character, severity, message, code, source }: CodeProblem): string {
  const origin = [source, code].filter((part) => part !== undefined).join(" ");
  const text = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  return `${line + 1}:${character + 1}: ${severity}: ${text}${origin === "" ? "" : ` [${origin}]`}`;
}

/** Each line stays one line, and no line can close a tag. */
function plain([open, ...lines]: readonly string[]): string {
  const close = lines.pop();
  const safe = lines.map((line) =>
    withoutReminderTags(printableSentence(line).replace(/\s+/g, " ")).replace(OUR_TAGS, "&lt;"),
  );
  return [open, ...safe, close].join("\n");
}

const OUR_TAGS = /<(?=[\s/]*new-diagnostics)/gi;

function shown(path: string, cwd: string): string {
  const inside = relative(cwd, path);
  return inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? path : inside;
}
