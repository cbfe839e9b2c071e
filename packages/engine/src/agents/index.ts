// Entry point `@keelson/engine/agents`: what an agent may use, by its definition and its place in the session. Pure. A
// session begins with `@keelson/engine/agent-listing` alone.

export { agentTools, type AgentKind, type AgentTools, type AgentToolsOptions } from "./tools.ts";
export { agentModel } from "./model.ts";
export { renderAgentPrompt } from "../context/agent-prompt.ts";
export { agentMode, widensMode } from "./mode.ts";
export { agentListing, agentListingLimits, agentsLeft, toolsInWords } from "./listing.ts";
