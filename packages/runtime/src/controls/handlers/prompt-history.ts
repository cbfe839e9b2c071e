// What the user typed at earlier prompts: history.jsonl, which all programs of the user share.

import { isObject, isVariableOn } from "@keelson/protocol";
import { appendTypedPrompt, pastesIn, readTypedPrompts } from "@keelson/store/prompt-history";
import { done, numberIn, textIn, type ControlHandler } from "../reply.ts";

const DEFAULT_PROMPTS = 100;
const MOST_PROMPTS = 10_000;

export const getPromptHistory: ControlHandler<"get_prompt_history"> = (request, targets) => {
  const { configDir, cwd } = targets.snapshot();
  const limit = Math.min(numberIn(request, "limit") ?? DEFAULT_PROMPTS, MOST_PROMPTS);
  const project = request.all_projects === true ? {} : { project: cwd };
  return done({ prompts: readTypedPrompts(configDir, { limit, ...project }) });
};

/** `CLAUDE_CODE_SKIP_PROMPT_HISTORY`: nothing is kept. Throws if it cannot be written. */
export const addPromptHistory: ControlHandler<"add_prompt_history"> = (request, targets) => {
  const display = textIn(request, "display");
  const { configDir, cwd, env } = targets.snapshot();
  if (isVariableOn(env["CLAUDE_CODE_SKIP_PROMPT_HISTORY"])) return done();
  appendTypedPrompt(configDir, {
    display,
    pastedContents: isObject(request.pastedContents) ? pastesIn(request.pastedContents) : {},
    timestamp: targets.now(),
    project: cwd,
    sessionId: targets.sessionId,
  });
  return done();
};
