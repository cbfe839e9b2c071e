// Gives built-in commands access to a session: control requests as a client sends them, tool calls as the model makes them.

import { Batch, partsOfRun, type Conversation, type Ports } from "@keelson/engine";
import type { Controls } from "../controls/controls.ts";
import { servedResult } from "../serve/result.ts";
import type { CommandSession } from "./command.ts";

export function commandSession(
  controls: Controls,
  ports: Ports,
  conversation: Conversation,
): Omit<CommandSession, "prompt"> {
  const { targets } = controls;
  return {
    targets,
    request: (subtype, fields = {}) => controls.perform({ ...fields, subtype }, ports.signal),
    async call(name, input) {
      // The call is in no reply of the model, so its result does not belong to the conversation.
      const batch = new Batch({ ...ports, record: () => undefined });
      batch.start({ block: { type: "tool_use", id: `toolu_${ports.newId()}`, name, input }, entryId: ports.newId() });
      const [settled] = await batch.settled();
      if (settled!.deferred) throw new Error(`A hook deferred the call of ${name}, and a command cannot wait for it`);
      const { isError, content } = servedResult(settled!);
      if (isError) throw new Error(content.map((block) => String(block["text"] ?? "")).join("\n"));
    },
    async compact(instructions) {
      const { compaction } = ports;
      if (!compaction) throw new Error("This conversation cannot be compacted");
      const { compactConversation } = await import("@keelson/engine/compaction");
      const options = { trigger: "manual", instructions, parts: partsOfRun(ports)() } as const;
      const done = await compactConversation(conversation, { ...ports, model: ports.model, compaction }, options);
      if ("error" in done) throw new Error(done.error);
      return done.entries;
    },
    commands: () => targets.commands(),
  };
}
