// UserPromptSubmit: what is added to a prompt, and every way to turn it away.

import { expect } from "bun:test";
import {
  base,
  DONE,
  exits,
  listens,
  nameOf,
  prints,
  PROMPT,
  reads,
  reminder,
  rowsOf,
  says,
  script,
  type Row,
} from "../row.ts";

const submits = rowsOf("UserPromptSubmit", { says: [DONE] });
const blocked = (why: string, original = `\n\nOriginal prompt: ${PROMPT}`) => {
  const text = `A hook blocked this prompt: ${why}${original}`;
  return {
    heard: [],
    asides: [],
    result: expect.objectContaining({ text }),
    notices: [`warning: ${text}`],
    code: 0,
  };
};

export const PROMPTS: readonly Row[] = [
  submits("is told of the prompt", listens, {
    ...reads(),
    told: [{ ...base("UserPromptSubmit", "permission_mode"), prompt: PROMPT }],
  }),
  submits(
    "is not told how hard the model thinks, in the environment neither",
    script("env | grep -c '^CLAUDE_EFFORT=' > effort; exit 0"),
    { files: { effort: "0\n" } },
  ),
  submits(
    "plain text goes before the prompt",
    prints("It is Monday"),
    reads(reminder("UserPromptSubmit hook success: It is Monday")),
  ),
  submits("additionalContext goes before the prompt", says("UserPromptSubmit", { additionalContext: "It is Monday" }), {
    ...reads(reminder("UserPromptSubmit hook additional context: It is Monday")),
  }),
  submits("exit 1 stops nothing", exits(1, "broken"), {
    ...reads(),
    notices: [expect.stringContaining("exited with code 1: broken")],
  }),
  submits(
    "exit 2 turns the prompt away",
    exits(2, "no secrets"),
    blocked(`[${nameOf("UserPromptSubmit")}]: no secrets`),
  ),
  submits("decision block turns it away", prints({ decision: "block", reason: "no secrets" }), blocked("no secrets")),
  submits(
    "decision block with exit 1",
    prints({ decision: "block", reason: "no secrets" }, { exit: 1 }),
    blocked("no secrets"),
  ),
  submits(
    "suppressOriginalPrompt keeps the prompt out of what is said",
    prints({
      decision: "block",
      reason: "no secrets",
      hookSpecificOutput: { hookEventName: "UserPromptSubmit", suppressOriginalPrompt: true },
    }),
    blocked("no secrets", ""),
  ),
  submits("continue: false turns it away", prints({ continue: false, stopReason: "closed" }), {
    heard: [],
    result: expect.objectContaining({ text: expect.stringContaining("closed") }),
    code: 0,
  }),
  submits(
    "what names another event is not meant for this one",
    prints({ hookSpecificOutput: { hookEventName: "Stop", additionalContext: "x" } }),
    {
      ...reads(),
      notices: [expect.stringContaining('"hookEventName" is not UserPromptSubmit')],
    },
  ),
  submits(
    "onFailure block turns it away",
    exits(3, "broken", { onFailure: "block" }),
    blocked(`[${nameOf("UserPromptSubmit")}]: broken`),
  ),
  submits(
    "all that hooks add is heard, in order",
    listens,
    reads(reminder("UserPromptSubmit hook success: one"), reminder("UserPromptSubmit hook additional context: two")),
    {
      hooks: { UserPromptSubmit: [prints("one"), says("UserPromptSubmit", { additionalContext: "two" })] },
    },
  ),
];
