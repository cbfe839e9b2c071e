// Configuration of MCP servers, for the runtime and `keelson mcp`: checks entries that arrive later than the files, and
// edits the files.

export { approveServer, resetChoices } from "./choice/choices.ts";
export { decideServer, type ServerDecision } from "./choice/decide-server.ts";
export { whyNoClientServers } from "./choice/policy.ts";
export { checkServer, type CheckServerOptions } from "./entry/check-server.ts";
export { readServerFile } from "./read-servers.ts";

export {
  addServer,
  definitionsOf,
  removeServer,
  type Edited,
  type EditScope,
  type ServerDefinition,
} from "./edit-servers.ts";
