// Gives built-in commands access to a session: control requests as a client sends them, tool calls as the model makes them.

import { Batch, partsOfRun, type Conversation, type Permission, type PermitRequest, type Ports } from "@keelson/engine";
import type { Controls } from "../controls/controls.ts";
import type { Gate } from "../gate/gate.ts";
import { servedResult } from "../served-tools/result.ts";
import type { CommandSession } from "./command.ts";

export interface CommandSessionParts {
  readonly controls: Controls;
  readonly ports: Ports;
  readonly state: { readonly conversation: Conversation };
  readonly gate: Pick<Gate, "decide" | "ruleBook">;
  /** Commands are typed by a person, who need not approve them again. */
  readonly typed: boolean;
}

export function commandSession(parts: CommandSessionParts): Omit<CommandSession, "prompt"> {
  const { controls, ports, state } = parts;
  const { targets } = controls;
  return {
    targets,
    request: (subtype, fields) => controls.perform(subtype, fields, ports.signal),
    async call(name, input) {
      // The call is in no reply of the model, so its result does not belong to the conversation.
      const permit: Ports["permit"] = (request, withdrawn) => permitTyped(request, parts, withdrawn);
      const batch = new Batch({ ...ports, record: () => undefined, ...(parts.typed ? { permit } : {}) });
      batch.start({ block: { type: "tool_use", id: `toolu_${ports.newId()}`, name, input }, entryId: ports.newId() });
      const [settled] = await batch.settled();
      if (settled!.deferred) throw new Error(`A hook deferred the call of ${name}, and a command cannot wait for it`);
      const { isError, content } = servedResult({ ...settled!, context: [] });
      if (isError) throw new Error(content.map((block) => String(block["text"] ?? "")).join("\n"));
    },
    async compact(instructions) {
      const { compaction } = ports;
      if (!compaction) throw new Error("This conversation cannot be compacted");
      const { compactConversation } = await import("@keelson/engine/compaction");
      const options = { trigger: "manual", instructions, parts: partsOfRun(ports)() } as const;
      const done = await compactConversation(state.conversation, { ...ports, model: ports.model, compaction }, options);
      if ("error" in done) throw new Error(done.error);
      return done.entries;
    },
    commands: () => targets.commands(),
  };
}

/** Only what a rule, a hook or a protected path asks about is still a question. */
async function permitTyped(
  request: PermitRequest,
  { gate, ports }: CommandSessionParts,
  withdrawn: AbortSignal,
): Promise<Permission> {
  gate.ruleBook.setUnguarded(request.call.id, false);
  const decision = await gate.decide(request);
  const isPlain = decision.by === "mode" || (decision.by === "other" && !("blockedPath" in decision));
  if (decision.behavior !== "ask" || !isPlain) return ports.permit(request, withdrawn);
  return { behavior: "allow", by: "person", source: "user_temporary", input: request.input };
}
