// One bubblewrap for a batch of commands: no network, its own processes, everything read-only but a fresh copy of the world.

import { join } from "node:path";
import type { Orders } from "./inside.ts";
import type { Errand, Shell, Trace } from "./trace.ts";
import type { FuzzWorld } from "./world.ts";

/** The traces, in order. A command that ended the sandbox itself has none, and the rest is run in another. */
export async function runErrands(
  world: FuzzWorld,
  errands: readonly Errand[],
  shell: Shell,
): Promise<(Trace | undefined)[]> {
  const traces: (Trace | undefined)[] = [];
  while (traces.length < errands.length) {
    const rest = errands.slice(traces.length).map(({ command, cwd, logsBuiltins }) => ({ command, cwd, logsBuiltins }));
    const got = await runBatch(world, { base: world.base, errands: rest, shell });
    traces.push(...got);
    if (got.length < rest.length) traces.push(undefined);
  }
  return traces;
}

async function runBatch(world: FuzzWorld, orders: Orders): Promise<Trace[]> {
  const inside = join(import.meta.dir, "inside.ts");
  const child = Bun.spawn([...confinement(world), process.execPath, inside], {
    stdin: new Blob([JSON.stringify(orders)]),
    stdout: "pipe",
    stderr: "pipe",
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
  });
  const [text, complaint] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  const traces = text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Trace);
  // A command can end the sandbox, but only a fault of ours says something here.
  if (complaint !== "") throw new Error(`The sandbox failed after ${traces.length} commands: ${complaint}`);
  return traces;
}

function confinement({ base, root }: FuzzWorld): string[] {
  return [
    "bwrap",
    ...["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"],
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...["--ro-bind", root, join(base, "template"), "--tmpfs", root, "--tmpfs", join(base, "log")],
    "--",
  ];
}
