// How instruction files reach the model: one block before the first prompt, and later additions next to what triggered
// them. Pure; other code decides which files there are and in which order.

import { asReminder, printableLine } from "@keelson/protocol";

/** A file as the model sees it. */
export interface InstructionText {
  readonly path: string;
  readonly kind: "Managed" | "User" | "Project" | "Local" | "AutoMemory" | "TeamMemory";
  readonly text: string;
}

export interface InstructionNews extends InstructionText {
  readonly change: "changed" | "appeared" | "vanished";
}

// About 100,000 tokens: more would leave little room to work.
const MOST_CHARACTERS = 400_000;
const MOST_LATER = 100_000;

/** The block before the first prompt. Clients expect this layout (test/sessions/configuration/instructions.test.ts). */
export function renderInstructions(
  files: readonly InstructionText[],
  date: string,
  { most = MOST_CHARACTERS }: { readonly most?: number } = {},
): string {
  const shown = withinBounds(files, most).map(
    ({ path, kind, text }) => `Contents of ${nameOf(path)} (${LABELS[kind]}):\n\n${text.trimEnd()}`,
  );
  const instructions = shown.length === 0 ? [] : ["# claudeMd", HEADER, "", shown.join("\n\n")];
  const block = [
    "As you answer the user's questions, you can use the following context:",
    ...instructions,
    "# currentDate",
    `Today's date is ${date}.`,
    "",
    `      IMPORTANT: ${NOTICE}`,
  ].join("\n");
  return `${asReminder(block)}\n\n`;
}

/** Instructions loaded because a call touched a file; goes into a reminder next to the call's result. */
export function renderNested({ path, text }: InstructionText): string {
  return `Contents of ${nameOf(path)}:\n\n${cut(text, MOST_LATER).trimEnd()}`;
}

/** What changed on disk; goes into a reminder before the next prompt. Earlier text stays where it is. */
export function renderChanged(files: readonly InstructionNews[], { most = MOST_LATER } = {}): string {
  const gone = files.filter(({ change }) => change === "vanished");
  const there = withinBounds(
    files.filter(({ change }) => change !== "vanished"),
    most,
  );
  return [
    "Instruction files have changed since you read them. The text below replaces the earlier version.",
    ...gone.map(({ path }) => `${nameOf(path)} was deleted; its instructions no longer apply.`),
    ...there.map(renderNested),
  ].join("\n\n");
}

const HEADER =
  "These are standing instructions from the user and this codebase. Where they apply, follow them; they override your " +
  "default behavior.";

const NOTICE = "parts of this context may not be relevant to the current task. Do not bring those up unless asked.";

const LABELS: Readonly<Record<InstructionText["kind"], string>> = {
  Managed: "organization instructions, set by an administrator",
  User: "user's private global instructions for all projects",
  Project: "project instructions, checked into the codebase",
  Local: "user's private project instructions, not checked in",
  AutoMemory: "user's auto-memory, persists across conversations",
  TeamMemory: "team memory, shared by everyone on the project",
};

/**
 * Managed files come first, then the last files, which are closest to the work. Files that do not fit are only named.
 */
function withinBounds<T extends InstructionText>(files: readonly T[], most: number): readonly T[] {
  const order = files.map((_, at) => at).toReversed();
  order.sort((a, b) => Number(files[b]!.kind === "Managed") - Number(files[a]!.kind === "Managed"));
  const texts: string[] = [];
  let left = most;
  for (const at of order) {
    texts[at] = cut(files[at]!.text, left);
    left = Math.max(0, left - texts[at].length);
  }
  return files.map((file, at) => ({ ...file, text: texts[at]! }));
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const head = text.slice(0, most).replace(/[\ud800-\udbff]$/, "");
  const note = `(${text.length - head.length} more characters are not shown; read the file if you need them.)`;
  return head === "" ? note : `${head}\n\n${note}`;
}

const nameOf = (path: string) => printableLine(path);
