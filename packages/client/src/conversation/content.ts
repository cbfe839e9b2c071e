// Reads what is inside messages: prompts as people typed them, tool results as texts.

import {
  blocksOf,
  isObject,
  isText,
  type ModelMessage,
  type ToolResultBlock,
  type UserMessage,
} from "@keelson/protocol";
import type { ShownResult, OutputItem, PromptItem } from "./item.ts";

/** More than this of one result is not kept for viewers. */
const MOST_CHARS = 256 * 1024;

const INTERRUPTED = /^\[Request interrupted by user(?: for tool use)?\]$/;
const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>\s*/g;
/** A skill has its text behind it. */
const COMMAND = /^(?:<command-message>[^<]*<\/command-message>\s*)?<command-name>([^<]*)<\/command-name>/;
const ARGUMENTS = /<command-args>([\s\S]*?)<\/command-args>/;
const COMMAND_OUTPUT = /^<local-command-(stdout|stderr)>([\s\S]*?)<\/local-command-\1>$/;
const SHELL_INPUT = /<bash-input>([\s\S]*?)<\/bash-input>/;
const SHELL_OUTPUT = /<bash-(stdout|stderr)>([\s\S]*?)<\/bash-\1>/g;
/** Texts for the model that stand where a prompt would. */
const NOT_TYPED = /^\s*<(?:task-notification|local-command-caveat|user-prompt-submit-hook|teammate-message)[\s>]/;

export function isInterruption(content: ModelMessage["content"]): boolean {
  return blocksOf(content).some((block) => isText(block) && INTERRUPTED.test(block.text));
}

/** The items of a message that someone typed, or that stands for what someone typed. */
export function promptItems(content: ModelMessage["content"], from?: string): (PromptItem | OutputItem)[] {
  const blocks = blocksOf(content);
  const images = blocks.filter(({ type }) => type === "image").length;
  const text = blocks
    .filter(isText)
    .map((block) => block.text)
    .join("\n")
    .replace(REMINDER, "")
    .trim();
  const printed = COMMAND_OUTPUT.exec(text);
  if (printed) return printed[2]!.trim() === "" ? [] : [output(printed[2]!, printed[1] === "stderr", "markdown")];
  const shell = shellItems(text);
  // A command that printed nothing has empty tags.
  if (shell.length > 0 || /^<bash-(?:stdout|stderr)>/.test(text)) return shell;
  const command = COMMAND.exec(text)?.[1];
  if (command !== undefined) {
    const words = ARGUMENTS.exec(text)?.[1]?.trim() ?? "";
    const name = command.startsWith("/") ? command : `/${command}`;
    return [{ kind: "prompt", as: "command", text: words === "" ? name : `${name} ${words}`, images: 0 }];
  }
  if (NOT_TYPED.test(text) || (text === "" && images === 0)) return [];
  return [{ kind: "prompt", as: "prompt", text, images, ...(from === undefined ? {} : { from }) }];
}

function shellItems(text: string): (PromptItem | OutputItem)[] {
  const items: (PromptItem | OutputItem)[] = [];
  const input = SHELL_INPUT.exec(text)?.[1];
  if (input !== undefined) items.push({ kind: "prompt", as: "shell", text: input, images: 0 });
  for (const [, stream, printed] of text.matchAll(SHELL_OUTPUT)) {
    if (printed!.trim() !== "") items.push(output(printed!, stream === "stderr", "plain"));
  }
  return items;
}

const output = (text: string, isError: boolean, as: "markdown" | "plain"): OutputItem => ({
  kind: "output",
  text: text.replace(/^\n+|\s+$/g, ""),
  as,
  isError,
});

export function callResultOf({ content, is_error }: ToolResultBlock, output: unknown): ShownResult {
  const blocks = blocksOf(content);
  const text = blocks
    .filter(isText)
    .map((block) => block.text)
    .join("\n")
    .replace(REMINDER, "")
    .replace(/<\/?tool_use_error>/g, "");
  return {
    text: text.length > MOST_CHARS ? text.slice(0, MOST_CHARS) : text,
    images: blocks.filter(({ type }) => type === "image").length,
    isError: is_error === true,
    ...(output === undefined ? {} : { output: withoutLongTexts(output) }),
  };
}

/** What is shown of an output is short. Whole files in it are not kept. */
function withoutLongTexts(output: unknown): unknown {
  if (!isObject(output)) return output;
  const { originalFile: _file, ...rest } = output;
  const { file } = rest;
  if (!isObject(file)) return rest;
  const { content: _content, base64: _base64, cells: _cells, ...about } = file;
  return { ...rest, file: about };
}

/** `person`: someone said no. `denied`: a rule, a mode or a hook did. `interrupted`: the run was stopped first. */
export type Refusal = "person" | "denied" | "interrupted";

const REJECTED = /^The user doesn't want to proceed with this tool use/;
const STOPPED = /the run was stopped/;

/** Why a call did not run. Undefined if it did, or could not. */
export function refusalIn(
  { tool_result_meta: metas = [] }: UserMessage,
  { isError, text }: ShownResult,
  callId: string,
): Refusal | undefined {
  if (!isError) return undefined;
  const meta = metas.filter(isObject).find(({ id }) => id === callId);
  const decision = isObject(meta?.["permission_decision"]) ? meta["permission_decision"] : undefined;
  if (decision?.["decision"] === "reject") return decision["source"] === "user_reject" ? "person" : "denied";
  // What an interrupt did to the call is told to the model alone.
  if (REJECTED.test(text)) return STOPPED.test(text) ? "interrupted" : "person";
  return decision === undefined && meta?.["non_execution_kind"] === "user-rejected" ? "interrupted" : undefined;
}

/** The words of a person who denied a call. Undefined if there are only ours. */
export const wordsOfRefusal = ({ text }: ShownResult) => (REJECTED.test(text) ? undefined : text);
