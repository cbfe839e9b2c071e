// Runs a shell command that the user typed. It takes the one way every call takes, with hooks, deny rules and the shield,
// except that nobody is asked: typing it was the answer.

import {
  checkCall,
  findTool,
  settleCall,
  type Permission,
  type PermitRequest,
  type Ports,
  type TypedCommandOutput,
} from "@keelson/engine";
import {
  blocksOf,
  isObject,
  isToolResult,
  type ContentBlock,
  type NewEntry,
  type ToolUseBlock,
} from "@keelson/protocol";
import type { Gate } from "../gate/gate.ts";
import { servedResult } from "../served-tools/result.ts";

/** Commands of people take longer than those of models: the longest time that Bash allows. */
const TIMEOUT_MS = 600_000;

export interface ShellModeOptions {
  readonly ports: Ports;
  readonly gate: Pick<Gate, "decide" | "ruleBook">;
  /** The shell that the settings name; PowerShell only if the session has that tool. */
  readonly shell?: "bash" | "powershell" | undefined;
}

export async function runTypedCommand(
  command: string,
  id: string,
  options: ShellModeOptions,
): Promise<TypedCommandOutput> {
  const { ports, gate, shell } = options;
  const name = shell === "powershell" && findTool(ports.tools(), "PowerShell") ? "PowerShell" : "Bash";
  const own: Ports = {
    ...ports,
    permit: (request) => permitTyped(request, gate),
    // There is no call in the conversation that a result could belong to.
    record: () => undefined,
    instructionsFor: () => [],
    // The user means the shell of the session; what clients put in its place is for calls of the model.
    toolAlias: () => undefined,
  };
  const block: ToolUseBlock = { type: "tool_use", id, name, input: { command, timeout: TIMEOUT_MS } };
  const alone = { halted: () => undefined, ended: ports.signal, pass: async () => undefined };
  const settled = await settleCall(checkCall({ block, entryId: "" }, own), own, alone);
  const { context = [] } = settled;
  const { content, isError } = servedResult({ ...settled, context: [] });
  const shown = content.flatMap(({ type, text }) => (type === "text" ? [String(text)] : [])).join("\n");
  if (isError) return { stdout: "", stderr: shown, context };
  const { output } = settled;
  if (!isObject(output)) return { stdout: shown, stderr: "", context };
  if (output["isImage"] === true) return { stdout: "", stderr: "", media: imagesIn(settled.entry), context };
  // Too long, or moved to the background: the text for the model says where the output is.
  if (output["persistedOutputPath"] !== undefined || output["backgroundTaskId"] !== undefined)
    return { stdout: shown, stderr: "", context };
  const aborted = output["interrupted"] === true ? ["Command was aborted before completion"] : [];
  const stderr = [String(output["stderr"] ?? ""), ...aborted].filter((part) => part !== "").join("\n");
  return { stdout: String(output["stdout"] ?? ""), stderr, context };
}

/** What a rule or a hook denies stays denied; a mode that would ask or refuse has its answer. */
async function permitTyped(request: PermitRequest, gate: ShellModeOptions["gate"]): Promise<Permission> {
  gate.ruleBook.setUnguarded(request.call.id, false);
  const decision = await gate.decide(request);
  if (decision.behavior === "deny" && decision.by !== "mode")
    return { behavior: "deny", by: decision.by, message: decision.message };
  return { behavior: "allow", by: "person", source: "user_temporary", input: request.input };
}

function imagesIn(entry: NewEntry): readonly ContentBlock[] {
  const blocks = entry.type === "user" ? blocksOf(entry.message.content) : [];
  return blocks
    .filter(isToolResult)
    .flatMap(({ content }) => blocksOf(content))
    .filter(({ type }) => type === "image");
}
