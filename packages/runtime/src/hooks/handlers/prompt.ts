// A prompt hook: one model request without tools that reports whether a condition holds. A failed request blocks
// nothing.

import type { ModelChoice, ModelRequest } from "@keelson/engine";
import type { HookRun, PromptHook, Usage } from "@keelson/protocol";
import { sendSideRequest } from "../../model/side-request.ts";
import { ANSWER_SCHEMA, conditionPrompt, readAnswer, withoutThinking } from "./condition.ts";
import system from "../prompt.md" with { type: "text" };
import { runWithTimeout, timeoutReport, type HandlerLimit } from "./timeout.ts";

export interface PromptHookOptions extends HandlerLimit {
  /** The handler's model, or the small default. */
  readonly model: ModelChoice;
  charge(usage: Usage, model: string, durationMs: number): void;
  now(): number;
}

/** `input` is the event as JSON. Never rejects. */
export async function runPromptHook(handler: PromptHook, input: string, options: PromptHookOptions): Promise<HookRun> {
  const started = options.now();
  const end = (run: Omit<HookRun, "durationMs">): HookRun => ({ ...run, durationMs: options.now() - started });
  const fail = (problem: string) => end({ outcome: "error", stdout: "", stderr: "", problem });
  const model = withoutThinking(options.model);
  const request = conditionRequest(conditionPrompt(handler.prompt, input, model), model);
  try {
    const result = await runWithTimeout(options, (signal) => sendSideRequest({ ...options, request, signal }));
    if (result.ended !== "done") return end(timeoutReport(result.ended, options));
    const answer = readAnswer(result.value);
    if (!answer) return fail(`${model.profile.id} did not say whether the condition is met`);
    return end({ outcome: "success", stdout: JSON.stringify(answer), stderr: "" });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return fail(`the request to ${model.profile.id} failed: ${why}`);
  }
}

const MAX_ANSWER_TOKENS = 4_096;

// `impossible` is optional: it tells the session not to keep trying.
const SCHEMA = {
  ...ANSWER_SCHEMA,
  properties: {
    ...ANSWER_SCHEMA.properties,
    impossible: { type: "boolean", description: "Whether nothing could ever meet the condition" },
  },
};

function conditionRequest(text: string, model: ModelChoice): ModelRequest {
  const { profile, effort, thinkingTokens, metadata, betas } = model;
  const isQuiet = profile.thinking === "none" || thinkingTokens === 0;
  return {
    model: profile.id,
    max_tokens: isQuiet ? Math.min(profile.maxTokens, MAX_ANSWER_TOKENS) : profile.maxTokens,
    system: [{ type: "text", text: system.trim() }],
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    tools: [],
    ...(profile.thinking !== "none" && isQuiet ? { thinking: { type: "disabled" } } : {}),
    output_config: {
      ...(profile.effort ? { effort: effort ?? "high" } : {}),
      format: { type: "json_schema", schema: SCHEMA },
    },
    ...(metadata ? { metadata } : {}),
    betas,
  };
}
