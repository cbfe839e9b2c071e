// The request for a summary of the conversation, and what the model reads of it afterwards.

import { withoutReminderTags } from "@keelson/protocol";

/** What comes before a prompt, or the prompt and what follows it. */
export type SummaryDirection = "up_to" | "from";

/** A part of a conversation. */
export interface SummarizedPart {
  readonly direction: SummaryDirection;
  /** The text of the prompt. */
  readonly prompt: string;
}

/** `wishes` are the user's own words, and those of hooks. Without `part`, everything is summarized. */
export function renderCompactionRequest(wishes: readonly string[], part?: SummarizedPart): string {
  const own = wishes.map((text) => text.trim()).filter((text) => text !== "");
  return [
    REQUEST,
    ...(part ? [part.direction === "from" ? renderFrom(part.prompt) : UP_TO] : []),
    ...(own.length === 0 ? [] : [`Further instructions for this summary:\n${own.join("\n\n")}`]),
  ].join("\n\n");
}

const UP_TO =
  "The conversation went on after the messages above. What came later stays as it is, right after your summary: write the last two sections as things stood here, and do not guess what happened next.";

const LONGEST_PROMPT = 2_000;

const renderFrom = (prompt: string) =>
  `Not everything above is replaced. What came before one prompt of the user stays as it is, right before your summary. Summarize only that prompt and what followed it; do not repeat what came before. The prompt begins:\n\n${prompt.trim().slice(0, LONGEST_PROMPT)}`;

const REQUEST = `The conversation is about to be shortened. Write a summary that replaces everything above; whoever continues the work will have this text instead of it. Reply with text only: do not call tools.

First think inside <analysis> tags: go through the conversation in order and check that nothing is missing. Then write the summary inside <summary> tags, in these numbered sections:

1. Task: what the user asked for, in their own words where wording matters, and how it changed.
2. Constraints: rules, preferences, corrections and limits that the user set. Copy everything about security, permissions and what must not be done word for word.
3. Decisions: what was decided, and why.
4. Files and code: each file that was read, changed or created and still matters, with its path, what is in it and what was changed. Quote code only if it is needed to continue.
5. Commands and results: how to build, test and run, and what the important results were.
6. Errors: what failed, how it was solved, and what the user said about it.
7. User messages: every message of the user that is not a tool result, in order, shortened only if it is very long.
8. Open work: what was asked for and is not done.
9. Now: what was being done in the last messages, precisely enough to continue in the middle of it, and the next step, if the user asked for one.

Be exact with names, paths, numbers and identifiers. Do not invent anything, and do not answer the user here.`;

/** The text without the thinking before it. A reply without tags is used as it is. */
export function readSummary(reply: string): string {
  const text = reply.replace(/<analysis>[\s\S]*?(?:<\/analysis>|(?=<summary>))/, "");
  const tagged = /<summary>([\s\S]*?)(?:<\/summary>|$)/.exec(text);
  return (tagged ? `Summary:\n${tagged[1]!.trim()}` : text).trim();
}

const OPENING = "This session continues an earlier conversation that no longer fits into the context window.";

/** Where only what followed a prompt was summarized. */
const LATER_OPENING = "The conversation continued here with messages that were replaced with this summary of them.";

/** What the model reads in place of the conversation so far. */
export function renderContinuation(
  summary: string,
  transcript: string | undefined,
  part?: Pick<SummarizedPart, "direction">,
): string {
  const opening = part?.direction === "from" ? LATER_OPENING : `${OPENING} What follows summarizes its earlier part.`;
  const pointer =
    transcript === undefined
      ? ""
      : `\n\nIf you need something exactly as it was, such as code, an error message or text you wrote, the full transcript is at: ${transcript}`;
  return `${opening}

${withoutReminderTags(summary)}${pointer}

Continue where the conversation left off. Do not repeat or acknowledge the summary, and do not ask what to do next if it is known; carry on as if there had been no interruption.`;
}
