// What the model is offered of the servers: their tools and their instructions.

import type { Machine } from "../../machine/machine.ts";
import type { Storage } from "../../session/storage.ts";
import type { McpServers } from "../servers/servers.ts";
import { fileSaver } from "./file-saver.ts";
import { searchMode } from "./search-mode.ts";
import { ServerInstructions } from "./server-instructions.ts";
import { ToolOffer } from "./tool-offer.ts";

/** What is loaded before the first run with servers. */
export interface McpOffer {
  readonly tools: ToolOffer;
  readonly instructions: ServerInstructions;
}

export function openOffer({ state }: Storage, machine: Machine, servers: McpServers): McpOffer {
  const tools = new ToolOffer({
    servers,
    // An agent that names its tools gets them all.
    mode: {
      ...searchMode(state.snapshot.env, state.model.providerName),
      ...(state.agent?.definition.tools ? { share: 1 } : {}),
    },
    window: () => state.model.profile.contextWindow,
    save: fileSaver(machine, "resource"),
  });
  return { tools, instructions: new ServerInstructions() };
}
