export type {
  CallInSession,
  LoginPort,
  PageLink,
  PastedImage,
  TerminalHost,
  TerminalOutcome,
  WhichSession,
} from "./host.ts";
export type { Terminal } from "./terminal/terminal.ts";
export { askAtTerminal, runTerminal } from "./app/run.ts";
