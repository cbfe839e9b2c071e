// How instruction files reach the model: one block before the first prompt, later pieces beside what called for them.
// Pure; which files there are, and in which order, is decided elsewhere.

/** A file as it is shown. */
export interface InstructionText {
  readonly path: string;
  readonly kind: "Managed" | "User" | "Project" | "Local" | "AutoMemory" | "TeamMemory";
  readonly text: string;
}

export interface InstructionNews extends InstructionText {
  readonly change: "changed" | "appeared" | "vanished";
}

// About 100,000 tokens: beyond that there would be little room left to work in.
const MOST_CHARACTERS = 400_000;
const MOST_LATER = 100_000;

/** The block that stands before the first prompt. Its outline is the compatible one (observed, 2.1.197). */
export function renderInstructions(
  files: readonly InstructionText[],
  date: string,
  { most = MOST_CHARACTERS }: { readonly most?: number } = {},
): string {
  const shown = withinBounds(files, most).map(
    ({ path, kind, text }) => `Contents of ${nameOf(path)} (${LABELS[kind]}):\n\n${harmless(text)}`,
  );
  const instructions = shown.length === 0 ? [] : ["# claudeMd", HEADER, "", shown.join("\n\n")];
  return [
    "<system-reminder>",
    "As you answer the user's questions, you can use the following context:",
    ...instructions,
    "# currentDate",
    `Today's date is ${date}.`,
    "",
    `      IMPORTANT: ${NOTICE}`,
    "</system-reminder>",
    "",
    "",
  ].join("\n");
}

/** What a touched file brought in; goes into a reminder beside the result of the call. */
export function renderNested({ path, text }: InstructionText): string {
  return `Contents of ${nameOf(path)}:\n\n${harmless(cut(text, MOST_LATER))}`;
}

/** What is different on disk; goes into a reminder before the next prompt. What was said before stays in place. */
export function renderChanged(files: readonly InstructionNews[], { most = MOST_LATER } = {}): string {
  const gone = files.filter(({ change }) => change === "vanished");
  const there = withinBounds(
    files.filter(({ change }) => change !== "vanished"),
    most,
  );
  return [
    "Instruction files have changed since you read them. What is said here takes the place of the earlier text.",
    ...gone.map(({ path }) => `${nameOf(path)} is gone; what it said no longer holds.`),
    ...there.map(renderNested),
  ].join("\n\n");
}

const HEADER =
  "These are the standing instructions of the user and of this codebase. Follow them: where they differ from how you " +
  "would work by default, they come first, exactly as they are written.";

const NOTICE =
  "not all of this concerns the task at hand. Act on what does, and leave the rest unmentioned unless it is asked about.";

const LABELS: Readonly<Record<InstructionText["kind"], string>> = {
  Managed: "instructions of the organization, set by its administrator",
  User: "user's private global instructions for all projects",
  Project: "project instructions, checked into the codebase",
  Local: "user's private project instructions, not checked in",
  AutoMemory: "user's auto-memory, persists across conversations",
  TeamMemory: "team memory, shared by everybody on the project",
};

/** An administrator's texts first, then what stands nearest to the work: the last ones. The others are only named. */
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
  const note = `(${text.length - head.length} more characters are not shown; read the file when you need them.)`;
  return head === "" ? note : `${head}\n\n${note}`;
}

/** A text cannot end the block it stands in. */
const harmless = (text: string) => text.trimEnd().replace(/<(\/?)(?=system-reminder>)/gi, "<$1\u200b");

// oxlint-disable-next-line no-control-regex
const nameOf = (path: string) => harmless(path).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, "?");
