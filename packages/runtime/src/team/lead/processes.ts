// Members as processes: this program once more, each in a process group of its own. They end with this process, however it
// ends.

import type { Snapshot } from "@keelson/config";
import { createServerPrograms } from "@keelson/host/servers";
import type { Backend } from "./backend.ts";
import { teammateArguments } from "./command-line.ts";

/** Shows people what a member says. */
export type OpenView = (name: string, pid: number) => Promise<View | undefined>;

export interface View {
  write(chunk: Uint8Array): void;
  close(): Promise<void>;
}

export interface ProcessesOptions {
  readonly kind: "process" | "tmux";
  /** The command that starts this program again. */
  readonly program: readonly string[];
  snapshot(): Snapshot;
  readonly view?: OpenView;
}

export function processes({ kind, program, snapshot, view }: ProcessesOptions): Backend {
  const programs = createServerPrograms();
  const views = new Set<View>();
  const [command = "", ...first] = program;
  return {
    kind,
    async start({ choice, cwd }) {
      const { origin } = snapshot();
      const env = Object.entries(origin.env).filter((pair): pair is [string, string] => pair[1] !== undefined);
      const args = [...first, ...teammateArguments(snapshot(), choice)];
      const started = await programs.start({ command, args, cwd, env: Object.fromEntries(env) });
      const shown = await view?.(choice.identity.name, started.pid);
      if (shown) views.add(shown);
      void follow(started.output, shown);
      const exited = started.exited.then(async (how) => {
        await shown?.close();
        if (shown) views.delete(shown);
        const last = started.stderr().trim().split("\n").at(-1) ?? "";
        return last === "" ? how : `${how} (${last.slice(0, 300)})`;
      });
      return { pid: started.pid, exited };
    },
    async close() {
      await programs.close();
      await Promise.all([...views].map((shown) => shown.close()));
    },
  };
}

/** What it says is in its transcript; without a view it only must not wait for a reader. */
async function follow(output: AsyncIterable<Uint8Array>, view: View | undefined): Promise<void> {
  try {
    for await (const chunk of output) view?.write(chunk);
  } catch {
    // It is gone.
  }
}
