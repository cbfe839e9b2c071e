// Members as processes: this program once more, each in a process group of its own. They end with this process, however it
// ends.

import type { Snapshot } from "@keelson/config";
import type { Programs } from "@keelson/host/programs";
import { createServerPrograms } from "@keelson/host/servers";
import { isObject, toLine, tryParse } from "@keelson/protocol";
import type { Backend } from "./backend.ts";
import { teammateArguments } from "../command-line.ts";

/** How the lines begin that matter here; others are not parsed. */
const HEARD = /^\{"type":"(?:control_|result")/;
const LONGEST_LINE = 64 * 1024 * 1024;

/** Shows people what a member says. */
export type OpenView = (name: string, pid: number) => Promise<TeammateView | undefined>;

export interface TeammateView {
  /** One line of the stream. */
  write(line: string): void;
  close(): Promise<void>;
}

export interface ProcessesOptions {
  readonly kind: "process" | "tmux";
  /** The command that starts this program again. */
  readonly program: readonly string[];
  snapshot(): Snapshot;
  readonly view?: OpenView;
  /** What runs outside the shield: a replaced program is not started. */
  programs?(): Programs;
}

export function processes({ kind, program, snapshot, view, programs: registry }: ProcessesOptions): Backend {
  const programs = createServerPrograms(registry ? { programs: registry } : {});
  const views = new Set<TeammateView>();
  const [command = "", ...first] = program;
  return {
    kind,
    async start({ choice, cwd }, hear) {
      const { origin } = snapshot();
      const env = Object.entries(origin.env).filter((pair): pair is [string, string] => pair[1] !== undefined);
      const args = [...first, ...teammateArguments(snapshot(), choice)];
      const started = await programs.start({ command, args, cwd, env: Object.fromEntries(env) });
      const shown = await view?.(choice.identity.name, started.pid);
      if (shown) views.add(shown);
      void follow(started.output, hear, shown);
      const exited = started.exited.then(async (how) => {
        await shown?.close();
        if (shown) views.delete(shown);
        const last = started.stderr().trim().split("\n").at(-1) ?? "";
        return last === "" ? how : `${how} (${last.slice(0, 300)})`;
      });
      const send = (message: object) => void started.write(toLine(message)).catch(() => undefined);
      return { pid: started.pid, exited, send };
    },
    async close() {
      await programs.close();
      await Promise.all([...views].map((shown) => shown.close()));
    },
  };
}

/** What else it says is in its transcript. */
async function follow(
  output: AsyncIterable<Uint8Array>,
  hear: (message: object) => void,
  view: TeammateView | undefined,
): Promise<void> {
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for await (const chunk of output) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > LONGEST_LINE) rest = "";
      for (const line of lines) {
        view?.write(line);
        const message = HEARD.test(line) ? tryParse(line) : undefined;
        if (isObject(message)) hear(message);
      }
    }
  } catch {
    // It is gone.
  }
}
