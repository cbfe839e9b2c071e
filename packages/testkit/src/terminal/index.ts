export {
  startTerminal,
  type TerminalCondition,
  type TerminalExit,
  type TestTerminal,
  type TestTerminalOptions,
} from "./terminal.ts";
export { makeEmulator, type Emulator, type EmulatorOptions, type TerminalModes } from "./emulator.ts";
export { keyBytes } from "./keys.ts";
