// Confines a program that runs for the whole session, such as an MCP server, in the same way as a command.

import { quote } from "../shell/script.ts";
import { confine, type Confinement } from "./confine.ts";

export interface ProgramToConfine {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Variables for the program alone: whoever chose them must not reach what starts the sandbox. */
  readonly entryEnv?: Readonly<Record<string, string>>;
}

export interface ConfinedProgram {
  readonly argv: readonly string[];
  /** Variables that `argv` needs, besides the session's own. */
  readonly env: Readonly<Record<string, string>>;
  /** The started process only waits for the program. */
  readonly isWrapper: boolean;
  /** Call once, when the program has exited. */
  leave(): void;
}

/** Rejects if the machine can neither sandbox nor shield it: then it must not run. */
export async function confineProgram(
  confinement: Confinement,
  { command, args, cwd, entryEnv = {} }: ProgramToConfine,
): Promise<ConfinedProgram> {
  const { env, set } = carried(entryEnv);
  const script = `${set}exec ${[command, ...args].map(quote).join(" ")}`;
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
  return { argv, env, isWrapper, leave };
}

/** What a shell accepts as a variable, without those that bash does not let anyone set. */
const VARIABLE = /^(?!(?:UID|EUID|PPID|SHELLOPTS|BASHOPTS|BASH_VERSINFO)$)[A-Za-z_][A-Za-z0-9_]*$/;

/**
 * Carries variables under other names until the program starts. Under their own names, `LD_PRELOAD` or `PATH` would make
 * whatever sets up the sandbox run code outside of it. Not as arguments: everyone can read those.
 */
function carried(entryEnv: Readonly<Record<string, string>>) {
  const entries = Object.entries(entryEnv).filter(([name]) => VARIABLE.test(name));
  const carrier = (at: number) => `KEELSON_CARRIED_${at}`;
  const exports = entries.map(([name], at) => `export ${name}="$${carrier(at)}"; unset ${carrier(at)}; `);
  return { env: Object.fromEntries(entries.map(([, value], at) => [carrier(at), value])), set: exports.join("") };
}
