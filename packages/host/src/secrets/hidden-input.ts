// Hides what is typed at the terminal, for secrets.

import { findHelper } from "../programs/registry/helpers.ts";

/** Until it is disposed. Does nothing where there is no terminal. */
export function hideInput(): Disposable {
  stty("-echo");
  return { [Symbol.dispose]: () => stty("echo") };
}

function stty(mode: string): void {
  try {
    const program = findHelper("stty", process.env["PATH"]);
    if (program !== null) Bun.spawnSync([program, mode], { stdin: "inherit", stdout: "ignore", stderr: "ignore" });
  } catch {
    // Not on this system: the secret is shown while it is typed.
  }
}
