// What the web tools need of a session.

import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { McpStage } from "../mcp/open-servers.ts";
import type { AgentParts } from "../session/agent-ports.ts";

export interface WebParts extends AgentParts {
  readonly hooks: SessionHooks;
  readonly mcp: McpStage;
}
