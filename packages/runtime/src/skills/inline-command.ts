// Runs a command from the text of a skill. Nobody is asked: what is not allowed already does not run.

import type { Ports, SettledCall } from "@keelson/engine";
import { isObject, textOf, type ToolResultBlock, type ToolUseBlock } from "@keelson/protocol";
import type { Gate } from "../gate/gate.ts";
import { callUnasked } from "../mentions/unasked-call.ts";

export interface InlineOptions {
  readonly ports: Ports;
  readonly gate: Gate;
  /** The folder it comes from is not trusted. */
  readonly unaided: boolean;
}

const ADVICE =
  "Inline commands run only if they are allowed beforehand: by allowed-tools of the skill, --allowedTools or an allow rule";

/** Returns its output. Rejects with a sentence for the user. */
export async function runInlineCommand(command: string, options: InlineOptions): Promise<string> {
  const block: ToolUseBlock = { type: "tool_use", id: options.ports.newId(), name: "Bash", input: { command } };
  const settled = await callUnasked(block, { ...options, advice: ADVICE });
  if (settled.failed) throw new Error(`The inline command "${command}" did not succeed: ${shownText(settled.entry)}`);
  return outputText(settled.output);
}

function shownText(entry: SettledCall["entry"]): string {
  if (entry.type !== "user" || typeof entry.message.content === "string") return "";
  const [result] = entry.message.content as readonly ToolResultBlock[];
  const text = typeof result?.content === "string" ? result.content : textOf(result?.content ?? []);
  return text.replace(/<\/?tool_use_error>/g, "");
}

function outputText(output: unknown): string {
  if (!isObject(output)) return "";
  const parts = [output["stdout"], output["stderr"]].filter((part) => typeof part === "string" && part.trim() !== "");
  return parts.join("\n").trimEnd();
}
