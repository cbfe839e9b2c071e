// Asks the small model whether a goal holds. It sees the conversation, runs nothing and reads no files.

import {
  blocksOf,
  isText,
  isToolResult,
  isToolUse,
  tryParse,
  type ContentBlock,
  type Json,
  type ModelMessage,
} from "@keelson/protocol";
import { conditionAnswer, type ConditionAnswer } from "../hooks/handlers/condition.ts";
import { runPromptHook } from "../hooks/handlers/prompt.ts";
import { smallModel } from "../model/small-model.ts";
import type { Storage } from "../session/storage.ts";
import type { Goal } from "./goal.ts";

const TIMEOUT_MS = 60_000;

type Judged = { readonly answer: ConditionAnswer } | { readonly problem: string };

export async function judgeGoal({ condition }: Goal, storage: Storage, signal: AbortSignal): Promise<Judged> {
  const { state, cost, now } = storage;
  const prompt = `The agent works towards a goal that the user set for the session. The condition: the goal holds now, and the conversation shows that it does. A claim without evidence, such as the output of a check, is not enough if the goal can be checked.

The goal:
${condition}

The event is the conversation so far:
$ARGUMENTS`;
  try {
    const model = await smallModel(storage);
    const { outcome, stdout, problem } = await runPromptHook(
      { type: "prompt", prompt },
      JSON.stringify(state.conversation.messages.map(shownMessage)),
      { model, charge: (...spent) => cost.charge(...spent), now, timeoutMs: TIMEOUT_MS, signal },
    );
    const answer = outcome === "success" ? conditionAnswer(tryParse(stdout)) : undefined;
    return answer ? { answer } : { problem: problem ?? "there was no answer" };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Words, calls and their results. Thinking, pictures and documents prove nothing. */
function shownMessage({ role, content }: ModelMessage): Json {
  return { role, content: blocksOf(content).flatMap(shownBlock) };
}

function shownBlock(block: ContentBlock): Json[] {
  if (isText(block)) return [block.text];
  if (isToolUse(block)) return [{ tool: block.name, input: block.input }];
  return isToolResult(block) ? [{ result: blocksOf(block.content).flatMap(shownBlock) }] : [];
}
