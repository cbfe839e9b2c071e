// Questions before a session that take a yes or a no: files from outside in the instructions, a key in the environment,
// and bypassing permissions. Esc is always the cautious answer.

import { wrap } from "../../screen/rows.ts";
import type { Panel } from "../../screen/view.ts";
import { answering, ChoicePanel } from "../../widgets/choice-panel.ts";
import { quoted, type HeadingOptions } from "../../widgets/heading.ts";
import type { RowsFor } from "../../widgets/scroll-text.ts";
import { showRow } from "../visible.ts";
import type { BeforeOptions } from "./before-options.ts";

/** Whether CLAUDE.md may include files from outside the project. */
export function includesPanel(files: readonly string[], options: BeforeOptions): Panel<boolean> {
  return yesNo(
    { title: "CLAUDE.md includes files outside this project", style: "warning" },
    (columns, theme) => [
      ...wrap("The instructions of this project include these files:", columns),
      ...files.flatMap((file) => quoted(showRow(file), columns, theme)),
      ...wrap("What is in them would be sent to the model.", columns),
    ],
    { question: "Include them?", labels: ["No, leave them out", "Yes, include them"], yes: 1 },
    options,
  );
}

/** Whether to use the key in the environment. `tail` is its end, as it is kept. */
export function apiKeyPanel(
  { variable, tail }: { readonly variable: string; readonly tail: string },
  options: BeforeOptions,
): Panel<boolean> {
  return yesNo(
    { title: "API key found in the environment" },
    (columns, theme) => [
      ...quoted(`${variable}=…${showRow(tail.slice(-8))}`, columns, theme, "code"),
      ...wrap(
        "Using it may cost money. Your answer is saved for this key; only its last 20 characters are stored.",
        columns,
      ),
    ],
    { question: "Use this key?", labels: ["Yes, use it", "No, do not use it"], yes: 0 },
    options,
  );
}

/** Whether to run everything without approval. No: the program ends. */
export function bypassPanel(options: BeforeOptions): Panel<boolean> {
  return yesNo(
    { title: "Bypass permissions", style: "bypassMode" },
    (columns) =>
      wrap(
        "In this mode, commands run and files are changed without asking you. Deny rules still apply. Use it only in a container or a virtual machine without access to anything you cannot lose. You are responsible for what happens.",
        columns,
      ),
    { labels: ["No, leave", "Yes, I accept"], yes: 1 },
    options,
  );
}

interface YesNo {
  readonly question?: string;
  /** The first is marked. */
  readonly labels: readonly [string, string];
  /** Which of them is the yes. */
  readonly yes: 0 | 1;
}

function yesNo(heading: HeadingOptions, body: RowsFor, { question, labels, yes }: YesNo, options: BeforeOptions) {
  const { keys, plain } = options;
  const panel = new ChoicePanel<boolean>({
    keys,
    heading: { ...heading, plain },
    body,
    question,
    choices: labels.map((label, index) => ({ value: index === yes, label, takesTyping: index !== yes })),
    hints: [
      { action: "confirm:yes", does: "choose" },
      { action: "confirm:no", does: "no" },
    ],
  });
  return answering(panel, (result) => result.kind === "chosen" && result.value);
}
