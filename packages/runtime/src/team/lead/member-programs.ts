// The processes of the members: this program once more, each in a process group of its own. They end with this process,
// however it ends.

import { createServerPrograms } from "@keelson/host/servers";

export interface MemberProgram {
  readonly pid: number;
  /** Resolves when it has exited, with a sentence about how. */
  readonly exited: Promise<string>;
}

export interface MemberPrograms {
  start(
    args: readonly string[],
    place: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  ): Promise<MemberProgram>;
  /** Ends all of them and what they left. */
  close(): Promise<void>;
}

/** `program` starts this program again. */
export function memberPrograms(program: readonly string[]): MemberPrograms {
  const programs = createServerPrograms();
  const [command = "", ...first] = program;
  return {
    async start(args, { cwd, env }) {
      const given = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
      const started = await programs.start({ command, args: [...first, ...args], cwd, env: Object.fromEntries(given) });
      // What it says is in its transcript; here it only must not wait for a reader.
      void drain(started.output);
      const exited = started.exited.then((how) => {
        const last = started.stderr().trim().split("\n").at(-1) ?? "";
        return last === "" ? how : `${how} (${last.slice(0, 300)})`;
      });
      return { pid: started.pid, exited };
    },
    close: () => programs.close(),
  };
}

async function drain(output: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const _ of output);
  } catch {
    // It is gone.
  }
}
