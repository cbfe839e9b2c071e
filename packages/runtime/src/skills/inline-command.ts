// Runs a command from the text of a skill. Nobody is asked: what is not allowed already does not run.

import { findTool, type Ports, type SettledCall } from "@keelson/engine";
import { isObject, textOf, type Skill, type ToolResultBlock, type ToolUseBlock } from "@keelson/protocol";
import type { Gate } from "../gate/gate.ts";
import { callUnasked } from "../mentions/unasked-call.ts";

export interface InlineOptions {
  readonly ports: Ports;
  readonly gate: Gate;
  /** The folder it comes from is not trusted. */
  readonly unaided: boolean;
  /** What the command is written in. */
  readonly shell: Skill["shell"];
}

const ADVICE =
  "Inline commands run only if they are allowed beforehand: by allowed-tools of the skill, --allowedTools or an allow rule";

const TOOLS: Readonly<Record<Skill["shell"], string>> = { bash: "Bash", powershell: "PowerShell" };

/** Returns its output. Rejects with a sentence for the user. */
export async function runInlineCommand(command: string, options: InlineOptions): Promise<string> {
  const { ports, shell } = options;
  if (shell === "powershell" && !findTool(ports.tools(), TOOLS.powershell)) {
    throw new Error(
      `The inline command "${command}" is for PowerShell; to use that, set CLAUDE_CODE_USE_POWERSHELL_TOOL=1`,
    );
  }
  const block: ToolUseBlock = { type: "tool_use", id: ports.newId(), name: TOOLS[shell], input: { command } };
  const settled = await callUnasked(block, { ...options, advice: ADVICE });
  if (settled.failed) throw new Error(`The inline command "${command}" did not succeed: ${shownText(settled.entry)}`);
  // As the model sees it when it runs the command itself: with nothing there, a list of facts would look cut off.
  return outputText(settled.output) || `(${TOOLS[shell]} completed with no output)`;
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
