// What other programs that are attached to a session cost its run: the time and the processor time between two turns, alone,
// with one that reads, and with one that is stopped and takes nothing.

import { readdirSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { repeat } from "../repeat.ts";
import { read } from "../model/script.ts";
import { headless, type Stage } from "../stage.ts";
import { median, type Row } from "../table.ts";

const TURNS = 200;
/** Until then, code is compiled and the stopped program's buffers fill up. */
const WARM = 50;
/** A program that cannot be attached opens the session itself and says nothing. */
const ATTACHED_MS = 5_000;
/** One that attaches leaves the model and the rules to the owner. */
const STREAM = ["--output-format", "stream-json", "--verbose"];

const kinds = ["alone", "with a program that reads", "with a stopped program"] as const;
type Kind = (typeof kinds)[number];

interface Between {
  readonly gapMs: number;
  readonly cpuMs: number;
}

export async function clients(stage: Stage): Promise<Row[]> {
  const folder = join(stage.project, "clients");
  await mkdir(folder, { recursive: true });
  const paths = Array.from({ length: TURNS }, (_, i) => join(folder, `file-${i}.txt`));
  await Promise.all(paths.map((path, i) => Bun.write(path, `content-${i}-end\n`.repeat(60))));

  const rounds = await repeat(stage.quick ? 2 : 6, async () => {
    const round = {} as Record<Kind, Between>;
    for (const kind of kinds) round[kind] = await loop(stage, kind, paths);
    return round;
  });
  const rows = (what: string, pick: (between: Between) => number) =>
    kinds.map((kind): Row => {
      const samples = rounds.map((round) => pick(round[kind]));
      const alone = { floor: rounds.map((round) => pick(round.alone)), against: "alone" };
      return { what: `${what}, ${kind}`, unit: "ms", samples, ...(kind === "alone" ? {} : alone) };
    });
  return [
    ...rows("between turns", ({ gapMs }) => gapMs),
    ...(process.platform === "linux" ? rows("CPU of one turn", ({ cpuMs }) => cpuMs) : []),
  ];
}

async function loop(stage: Stage, kind: Kind, paths: readonly string[]): Promise<Between> {
  const script = [{ text: "ok" }, ...paths.map((path) => ({ calls: [read(path)] })), { text: "finished" }];
  await stage.model.play(script, [`content-${TURNS - 1}-end`]);
  const id = crypto.randomUUID();
  const owner = startProgram(stage, [...headless, "--session-id", id]);
  const other: { program?: Started } = {};
  try {
    await owner.answer("Say ok");
    if (kind !== "alone") {
      other.program = startProgram(stage, [...STREAM, "--include-partial-messages", "--resume", id]);
      await other.program.isAttached();
      if (kind === "with a stopped program") other.program.kill("SIGSTOP");
    }
    const before = cpuOf(owner.pid);
    await owner.answer("Continue until you are done");
    const cpuMs = (cpuOf(owner.pid) - before) / TURNS;
    const { stamps, found } = await stage.model.report();
    const turns = stamps.filter(({ isTurn }) => isTurn);
    if (turns.length !== script.length || found.length === 0)
      throw new Error(`The program made ${turns.length} requests; the script has ${script.length} replies`);
    const gaps = turns.slice(1).map(({ arrived }, i) => arrived - turns[i]!.ended);
    return { gapMs: median(gaps.slice(WARM)), cpuMs };
  } finally {
    other.program?.kill("SIGKILL");
    await other.program?.exited;
    owner.kill("SIGTERM");
    await owner.exited;
  }
}

type Started = ReturnType<typeof startProgram>;

/** It takes prompts from its input, so other programs can attach to its session. */
function startProgram({ program, project, env }: Stage, args: readonly string[]) {
  const command = [...program, "-p", "--input-format", "stream-json", ...args];
  const child = Bun.spawn(command, { cwd: project, env: { ...env }, stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  const results = resultsIn(child.stdout);
  return {
    pid: child.pid,
    exited: child.exited,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    async answer(prompt: string) {
      child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content: prompt } })}\n`);
      await child.stdin.flush();
      if ((await results.next()).done) throw new Error(`The program ended: ${await child.stderr.text()}`);
    },
    async isAttached() {
      const said = child.stderr.getReader().read();
      const found = await Promise.race([said, Bun.sleep(ATTACHED_MS)]);
      const text = found?.value ? new TextDecoder().decode(found.value) : "nothing was said";
      if (!text.includes("attached to it")) throw new Error(`The program did not attach to the session: ${text}`);
    },
  };
}

async function* resultsIn(output: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of output) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop()!;
    for (const line of lines) if (line.startsWith('{"type":"result"')) yield line;
  }
}

/** Of all its threads. What `getrusage` says has ticks of some milliseconds. */
function cpuOf(pid: number): number {
  if (process.platform !== "linux") return 0;
  const tasks = `/proc/${pid}/task`;
  const ran = readdirSync(tasks).map((task) =>
    Number(readFileSync(join(tasks, task, "schedstat"), "latin1").split(" ")[0]),
  );
  return ran.reduce((sum, ns) => sum + ns, 0) / 1e6;
}
