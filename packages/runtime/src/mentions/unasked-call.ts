// A tool call that a text makes, not the model: an inline command of a skill, a mentioned file. It takes the one way every
// call takes, with hooks and the gate, except that no one is asked: what is not allowed already does not run.

import {
  checkCall,
  settleCall,
  type Permission,
  type PermitRequest,
  type Ports,
  type SettledCall,
} from "@keelson/engine";
import type { ToolUseBlock } from "@keelson/protocol";
import type { Gate } from "../gate/gate.ts";

export interface UnaskedOptions {
  readonly ports: Ports;
  readonly gate: Pick<Gate, "decide" | "ruleBook">;
  /** The text is from a folder that is not trusted: only what is harmless by itself runs, whatever the user allowed. */
  readonly unaided?: boolean;
  /** Ends the sentence for a call that someone would have to allow. */
  readonly advice: string;
}

export async function callUnasked(block: ToolUseBlock, options: UnaskedOptions): Promise<SettledCall> {
  const { ports } = options;
  const unasked: Ports = {
    ...ports,
    permit: (request) => permitUnasked(request, options),
    // There is no call in the conversation that a result could belong to.
    record: () => undefined,
    instructionsFor: () => [],
    // A text means the tool that has this name; what clients put in its place is for calls of the model.
    toolAlias: () => undefined,
  };
  const alone = { halted: () => undefined, ended: ports.signal, pass: async () => undefined };
  return settleCall(checkCall({ block, entryId: "" }, unasked), unasked, alone);
}

async function permitUnasked(request: PermitRequest, options: UnaskedOptions): Promise<Permission> {
  const { gate, unaided = false, advice } = options;
  const { input, call } = request;
  gate.ruleBook.setUnguarded(call.id, false);
  const decision = await gate.decide(request, { unaided });
  if (decision.behavior === "allow") return { behavior: "allow", by: decision.by, source: "config", input };
  const message = decision.behavior === "deny" ? decision.message : `${decision.reason}. ${advice}`;
  return { behavior: "deny", by: decision.by, message };
}
