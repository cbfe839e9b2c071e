// What the user typed at earlier prompts: history.jsonl, which all programs of the user share.

import { isObject, isVariableOn } from "@keelson/protocol";
import { appendTypedPrompt, pastesIn, readTypedPrompts } from "@keelson/store/prompt-history";
import { done, failed, numberIn, textIn, type ControlHandler } from "../reply.ts";

const DEFAULT_PROMPTS = 100;
const MOST_PROMPTS = 10_000;
/** Of one prompt: every program reads the file again, from its end. */
const MOST_CHARS = 1_000_000;

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
  const pastedContents = isObject(request.pastedContents) ? pastesIn(request.pastedContents) : {};
  const pasted = Object.values(pastedContents).map(({ content }) => content.length);
  if (pasted.reduce((sum, length) => sum + length, display.length) > MOST_CHARS)
    return failed("add_prompt_history: the prompt has more than 1,000,000 characters; leave out what was pasted");
  if (isVariableOn(env["CLAUDE_CODE_SKIP_PROMPT_HISTORY"])) return done();
  appendTypedPrompt(configDir, {
    display,
    pastedContents,
    timestamp: targets.now(),
    project: cwd,
    sessionId: targets.sessionId,
  });
  return done();
};
