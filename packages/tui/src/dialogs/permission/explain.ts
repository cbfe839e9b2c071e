// What Ctrl+E shows: what the reason means, and how to be asked less, or more.

import type { PermissionAsk } from "@keelson/client";
import { wrap } from "../../screen/rows.ts";
import type { RowsFor } from "../../widgets/scroll-text.ts";
import type { Theme } from "../../theme/theme.ts";
import { showAll, showRow } from "../visible.ts";
import type { Remember } from "./remember.ts";

interface Explained {
  readonly remember: Remember | undefined;
  /** The words of `keelson permissions explain`. */
  readonly told: string | undefined;
  /** What the call is about. */
  readonly subject: RowsFor;
}

export function explanation(ask: PermissionAsk, { remember, told, subject }: Explained): RowsFor {
  const paragraphs = [
    reasonText(ask),
    remember === undefined ? NO_RULE : `With the second answer, later calls run without asking: ${rulesOf(remember)}.`,
    "A plain no stops the turn. A no with a text (Tab) tells the model what to do instead, and the turn continues.",
    "/permissions lists all rules and where they are stored. A deny rule always wins, then ask, then allow.",
  ];
  return (columns, theme) => [
    ...subject(columns, theme),
    ...(told === undefined ? [] : ["", ...toldRows(told, columns, theme)]),
    ...paragraphs.flatMap((text) => ["", ...wrap(theme.paint("text", text), columns - 2).map((row) => `  ${row}`)]),
  ];
}

/** The tree keeps its shape where there is room; a screen reader gets no lines. */
function toldRows(told: string, columns: number, theme: Theme): string[] {
  const text = showAll(
    theme.spoken ? told.replace(/[├└│─·→]+/g, " ").replace(/[✓?✗] /g, (sign) => SPOKEN[sign.trim()]!) : told,
  );
  return text.split("\n").flatMap((line) => {
    const start = /^[\s├└│─·?✓✗]*/.exec(line)![0].replace(/[^\s│]/g, " ");
    // What continues a row of the tree stays right of its branch.
    const below = start.length < columns / 3 ? start : "    ";
    const [first = "", ...more] = wrap(line, columns - 2);
    const rest = more.length === 0 ? [] : wrap(line.slice(first.length).trimStart(), columns - 4 - below.length);
    return [line === "" ? "" : `  ${first}`, ...rest.map((row) => `  ${below}  ${row}`)];
  });
}

const SPOKEN: Readonly<Record<string, string>> = { "✓": "allowed: ", "?": "asks: ", "✗": "denied: " };

const NO_RULE = "No rule can allow exactly this, so it needs approval each time.";

function rulesOf({ label, description }: Remember): string {
  const what = label.replace(/^Yes, and /, "");
  return description === undefined ? what : `${what} (${description.toLowerCase()})`;
}

function reasonText({ reasonType = "other", askRule, tool }: PermissionAsk): string {
  if (askRule) {
    const { rule, source } = askRule;
    return `The ask rule ${showRow(rule)} matches this call. It is from ${showRow(source)}; remove it with /permissions.`;
  }
  return REASONS[reasonType] ?? `${showRow(tool)} needs approval in this mode.`;
}

const REASONS: Readonly<Record<string, string>> = {
  rule: "A rule in the settings requires approval for this call.",
  mode: "The current mode does not allow it without approval. Shift+Tab at the prompt changes the mode.",
  hook: "A hook asked for approval. Hooks are listed by /hooks.",
  workingDir: "It reaches outside the folders of this session. /add-dir adds a folder.",
  safetyCheck:
    "It touches something that always needs approval, such as a settings file, or it may destroy files. Allow rules do not skip this check.",
  subcommandResults: "One of the commands in it needs approval. The others do not.",
  sandboxOverride: "The command asks to run outside the sandbox. Without that it would run without approval.",
  classifier: "Auto mode could not tell that it is safe.",
};
