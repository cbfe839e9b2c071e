// What the model is offered: the tools of the session and of its servers, and the instructions of the servers.

import type { ModelChoice, Tool } from "@keelson/engine";
import type { ModelMessage } from "@keelson/protocol";
import type { Machine } from "../../machine/machine.ts";
import type { SessionState } from "../../session/state.ts";
import type { Storage } from "../../session/storage.ts";
import type { McpServers } from "../servers/servers.ts";
import type * as FileSaver from "./file-saver.ts";
import { DEFAULT_SHARE, searchMode, type SearchMode } from "./search-mode.ts";
import type * as Instructions from "./server-instructions.ts";
import { ToolOffer } from "./tool-offer.ts";

/** What is loaded before the first run. */
export interface McpOffer {
  readonly tools: ToolOffer;
  /** Made with the first server. */
  readonly instructions: Instructions.ServerInstructions;
}

/** A session that ends with its answer schedules nothing for itself. They can still be found and called. */
const FOR_LATER = /^(?:Cron\w+|ScheduleWakeup)$/;

export function openOffer(
  { options, state }: Storage,
  machine: Machine,
  servers: () => McpServers | undefined,
): McpOffer {
  const tools = new ToolOffer({
    servers,
    mode: currentMode(state),
    messages: () => state.conversation.messages,
    wanted: wantedTools({ options, state }),
    ...(options.listens || options.teammate ? {} : { unannounced: FOR_LATER }),
    window: () => state.model.profile.contextWindow,
    save: (...given) => (require("./file-saver.ts") as typeof FileSaver).fileSaver(machine, "resource")(...given),
  });
  let instructions: Instructions.ServerInstructions | undefined;
  return {
    tools,
    get instructions() {
      const { ServerInstructions } = require("./server-instructions.ts") as typeof Instructions;
      return (instructions ??= new ServerInstructions());
    },
  };
}

/**
 * What a subagent that does not name its tools is offered: rare built-in tools are deferred as in the session. They are
 * loaded in words, whatever its model.
 */
export function agentOffer(
  { options, state }: Storage,
  agent: {
    /** Whether it may use ToolSearch. */
    readonly maySearch: boolean;
    model(): ModelChoice;
    messages(): readonly ModelMessage[];
  },
): ToolOffer {
  const { providerName, profile } = state.model;
  const mode = { ...searchMode(state.snapshot.env, providerName, profile.id), references: false };
  // The tools of servers are none of this offer: they are all in its requests.
  const share = mode.share < 1 && agent.maySearch ? DEFAULT_SHARE : 1;
  const own: SearchMode = { ...mode, share };
  return new ToolOffer({
    servers: () => undefined,
    mode: () => own,
    messages: agent.messages,
    wanted: wantedTools({ options, state }),
    unannounced: FOR_LATER,
    window: () => agent.model().profile.contextWindow,
    save: () => Promise.reject(new Error("Only servers have resources")),
  });
}

const SEARCH = [{ name: "ToolSearch" } as Tool];

/** The mode for the session's model and agent, as they are now. */
function currentMode(state: SessionState): () => SearchMode {
  let known: {
    readonly model: SessionState["model"];
    readonly agent: SessionState["agent"];
    readonly mode: SearchMode;
  };
  return () => {
    const { model, agent, snapshot } = state;
    if (known?.model === model && known.agent === agent) return known.mode;
    const mode = searchMode(snapshot.env, model.providerName, model.profile.id);
    // An agent that names its tools gets them all, and one that cannot search as well.
    const getsAll = agent !== undefined && (agent.definition.tools || agent.chooseTools(SEARCH).length === 0);
    known = { model, agent, mode: getsAll ? { ...mode, share: 1 } : mode };
    return known.mode;
  };
}

/**
 * The tools that the user names in flags and rules, as they are now: rules that are added while the session runs must not
 * change what the provider has cached.
 */
function wantedTools({ options, state }: Pick<Storage, "options" | "state">): ReadonlySet<string> {
  const { flags, rules } = state.snapshot;
  const inTeam = options.teammate !== undefined || state.allTools.some(({ name }) => name === "TeamCreate");
  return new Set([
    ...(flags.tools ?? []),
    ...rules.flatMap(({ behavior, tool }) => (behavior === "allow" ? [tool] : [])),
    ...(inTeam ? ["SendMessage"] : []),
  ]);
}
