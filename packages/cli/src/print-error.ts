// How the program reports problems on standard error: `error: …` and `warning: …`, lower case, no full stop.

import type { ProcessIO } from "./process-io.ts";

/** Prints the error and returns the exit code. */
export function printError(io: Pick<ProcessIO, "error">, message: string): number {
  io.error(`error: ${inLowerCase(message)}`);
  return 1;
}

export function printWarning(io: Pick<ProcessIO, "error">, message: string): void {
  io.error(`warning: ${inLowerCase(message)}`);
}

/** Other packages write whole sentences; after a prefix the first word starts in lower case. Names such as `Bash(` stay. */
function inLowerCase(message: string): string {
  return /^(?:A|[A-Z][a-z']+) /.test(message) ? message.charAt(0).toLowerCase() + message.slice(1) : message;
}
