// Panels for what has to be asked before a session opens.

export { LoginPanel, type LoginAnswer, type LoginOptions } from "./login-panel.ts";
export { mcpServerPanel, type ServerAnswer, type ServerToApprove } from "./mcp-server-panel.ts";
export { SetupPanel, type SetupAnswer, type SetupOffer, type SetupOptions } from "./setup-panel.ts";
export { changedPanel, trustPanel, type ChangedFacts, type TrustFacts } from "./trust-panel.ts";
export { apiKeyPanel, bypassPanel, includesPanel } from "./yes-no-panels.ts";
export type { BeforeOptions } from "./before-options.ts";
export type { KeyLookup } from "../../widgets/key-lookup.ts";
