// Confines a program that runs for the whole session, such as an MCP server, in the same way as a command.

import { quote } from "../shell/script.ts";
import { confine, type Confinement } from "./confine.ts";

export interface ProgramToConfine {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

export interface ConfinedProgram {
  readonly argv: readonly string[];
  /** The started process only waits for the program. */
  readonly isWrapper: boolean;
  /** Call once, when the program has exited. */
  leave(): void;
}

/** Rejects if the machine can neither sandbox nor shield it: then it must not run. */
export async function confineProgram(
  confinement: Confinement,
  { command, args, cwd }: ProgramToConfine,
): Promise<ConfinedProgram> {
  const script = `exec ${[command, ...args].map(quote).join(" ")}`;
  const entered = await confine(confinement, {
    shell: "/bin/sh",
    script,
    command: script,
    cwd,
    id: "",
    outside: false,
  });
  const { argv, isWrapper } = entered;
  const leave = () => {
    entered.leave({ text: "", code: 0 });
    entered.release();
  };
  if (argv.length === 3 && argv[2] === script) {
    leave();
    throw new Error("The server must run in a sandbox, and this machine has none; run keelson doctor");
  }
  return { argv, isWrapper, leave };
}
