// Runs inside the sandbox: takes errands, runs each in the shell, and prints one line for what each left behind.
// It refuses to work anywhere else, because it really runs what it is given.

import { closeSync, openSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { scriptFor } from "../../../packages/host/src/shell/script.ts";
import { differences, manifest, repair, restore } from "./scratch.ts";
import { MARKERS, type Errand, type Marker, type Shell, type Trace } from "./trace.ts";
import { gitEnvironment } from "./world.ts";

export interface Orders {
  readonly base: string;
  readonly errands: readonly Errand[];
  readonly shell: Shell;
}

/** Variables of the sentences: whoever expands one without having judged it does something that shows. */
const TRAPS = { FUZZ_TOKEN: MARKERS.environment, x: "../outside/secret", y: "a[$(evil)]", a: "b[$(evil)]", fd: "evil" };
const LONGEST_MS = 2_000;
/** In kilobytes, or half that, as the shell counts. */
const LARGEST_FILE = 4_096;

if (import.meta.main) {
  // In a process namespace of its own this is the first process after bubblewrap's own.
  if (process.pid > 3 || readFileSync("/proc/1/comm", "utf8").trim() !== "bwrap")
    throw new Error(
      "This program runs generated commands and works only in its sandbox: use test/fuzz/run.ts --really",
    );
  const orders = (await Bun.stdin.json()) as Orders;
  const root = join(orders.base, "world");
  const log = join(orders.base, "log");
  restore(orders.base);
  let before = manifest(root);
  for (const errand of orders.errands) {
    const trace = runOne(errand, orders, log, () => differences(before, manifest(root)));
    process.stdout.write(`${JSON.stringify(trace)}\n`);
    if (trace.changed.length + trace.opened.length === 0) continue;
    repair(orders.base, trace.changed);
    before = manifest(root);
  }
}

function runOne(
  errand: Errand,
  orders: Orders,
  log: string,
  changes: () => Pick<Trace, "changed" | "folders" | "opened">,
): Trace {
  const { shell, base } = orders;
  const home = join(base, "world", "home");
  const programs = errand.logsBuiltins ? "echo printf test [" : "echo";
  const prelude = `${shell.kind === "bash" ? "enable -n" : "disable"} ${programs}; ulimit -f ${LARGEST_FILE}`;
  const script = scriptFor({
    command: errand.command,
    shell,
    snapshot: null,
    envFile: undefined,
    prefix: undefined,
    reportsDirectory: false,
  });
  // A file, not a pipe: who waits for the end of a pipe waits for whatever was left running, too.
  const output = openSync(join(log, "output"), "w+");
  const done = Bun.spawnSync([shell.path, "-c", `${prelude}\n${script}`], {
    cwd: errand.cwd,
    env: { ...TRAPS, PATH: join(base, "bin"), LC_ALL: "C.UTF-8", TERM: "dumb", ...gitEnvironment(home) },
    stdin: "ignore",
    stdout: output,
    stderr: output,
    timeout: LONGEST_MS,
    killSignal: "SIGKILL",
  });
  const printed = readFileSync(join(log, "output"), "utf8");
  closeSync(output);
  rmSync(join(log, "output"));
  const timedOut = done.exitedDueToTimeout === true;
  const left = endLeftovers() && !timedOut;
  return {
    ...changes(),
    ran: readLog(log),
    printed: (Object.keys(MARKERS) as Marker[]).filter((name) => printed.includes(MARKERS[name])),
    left,
    timedOut,
  };
}

/** Ends what the command left running; true when there was any after a moment's grace. */
function endLeftovers(): boolean {
  let left = others();
  for (let tries = 0; left.length > 0 && tries < 40; tries++) {
    Bun.sleepSync(5);
    left = others();
  }
  for (const pid of left) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself meanwhile.
    }
  }
  return left.length > 0;
}

function others(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== 1 && pid !== process.pid && !isGone(pid));
}

function isGone(pid: number): boolean {
  try {
    return /^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return true;
  }
}

function readLog(log: string): string[][] {
  const ran: string[][] = [];
  for (const name of readdirSync(log)) {
    const path = join(log, name);
    const fields = readFileSync(path, "utf8").split("\0");
    for (let at = 0; at + 1 < fields.length;) {
      const count = Number(fields[at]);
      ran.push(fields.slice(at + 1, at + 2 + count));
      at += 2 + count;
    }
    rmSync(path);
  }
  return ran;
}
