// Runs a command from the text of a skill. It takes the one way every tool call takes, with hooks and the gate, except
// that nobody is asked: what is not allowed already does not run.

import { checkCall, settleCall, type Permission, type PermitRequest, type Ports } from "@keelson/engine";
import { isObject, textOf, type ToolResultBlock, type ToolUseBlock } from "@keelson/protocol";
import type { Gate } from "../gate/gate.ts";

export interface InlineOptions {
  readonly ports: Ports;
  readonly gate: Gate;
  /** The folder it comes from is not trusted: only what is harmless by itself runs, whatever the user allowed. */
  readonly unaided: boolean;
}

/** Returns its output. Rejects with a sentence for the user. */
export async function runInlineCommand(command: string, options: InlineOptions): Promise<string> {
  const { ports } = options;
  const block: ToolUseBlock = { type: "tool_use", id: ports.newId(), name: "Bash", input: { command } };
  const inline: Ports = {
    ...ports,
    permit: (request) => permitUnasked(request, options),
    // There is no call in the conversation that a result could belong to.
    record: () => undefined,
    instructionsFor: () => [],
  };
  const alone = { halted: () => undefined, ended: ports.signal, pass: async () => undefined };
  const settled = await settleCall(checkCall({ block, entryId: "" }, inline), inline, alone);
  if (settled.failed) throw new Error(`The inline command "${command}" did not succeed: ${shownText(settled.entry)}`);
  return outputText(settled.output);
}

async function permitUnasked(request: PermitRequest, { gate, unaided }: InlineOptions): Promise<Permission> {
  const { input } = request;
  gate.ruleBook.setUnguarded(request.call.id, false);
  const decision = await gate.decide(request, { unaided });
  if (decision.behavior === "allow") return { behavior: "allow", by: decision.by, source: "config", input };
  const message =
    decision.behavior === "deny"
      ? decision.message
      : `${decision.reason}. Inline commands run only if they are allowed beforehand: by allowed-tools of the skill, --allowedTools or an allow rule`;
  return { behavior: "deny", by: decision.by, message };
}

function shownText(entry: Awaited<ReturnType<typeof settleCall>>["entry"]): string {
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
