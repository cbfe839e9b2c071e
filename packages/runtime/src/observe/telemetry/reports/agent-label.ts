// How a report names the subagent that did it.

import type { Attributes } from "../otlp.ts";

/** Nothing for the session's own agent. */
export const agentLabel = (id: string | undefined): Attributes => (id === undefined ? {} : { "agent.id": id });
