// Gives built-in commands access to a session: control requests as a client sends them, tool calls as the model makes them.

import { Batch, type Ports } from "@keelson/engine";
import type { Controls } from "../controls/controls.ts";
import { servedResult } from "../serve/result.ts";
import type { CommandSession } from "./command.ts";

export function commandSession(controls: Controls, ports: Ports): Omit<CommandSession, "prompt"> {
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
    commands: () => targets.commands(),
  };
}
