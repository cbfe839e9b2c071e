// What pages cost the run that they watch: the time between turns with nobody but the page that asked, with one more page, and
// with one that has stopped reading; and the memory of the server.

import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { read } from "../../model/script.ts";
import type { Stage } from "../../stage.ts";
import { median, type Row } from "../../table.ts";
import { startServer, type StartedServer } from "./start-web.ts";

const KINDS = ["alone", "with another page", "with a stopped page"] as const;
type Kind = (typeof KINDS)[number];
const TURNS = 300;
/** Until then, the buffers of the stopped page fill up. */
const WARM = 180;
const DELTAS = 200;
const ANSWER = "Some words of an answer before the next call. ".repeat(30);

export async function watchers(stage: Stage): Promise<Row[]> {
  if (process.platform !== "linux") throw new Error("web-watchers needs /proc");
  const folder = join(stage.project, "watchers");
  await mkdir(folder, { recursive: true });
  const paths = Array.from({ length: TURNS }, (_, i) => join(folder, `file-${i}.txt`));
  await Promise.all(paths.map((path, i) => Bun.write(path, `content-${i}-end\n`.repeat(60))));

  // In the same server and in changing order: what else differs between runs is larger than what is measured.
  const gaps: Record<Kind, number[]> = { alone: [], "with another page": [], "with a stopped page": [] };
  {
    await using server = await startServer(stage);
    const rounds = stage.quick ? 2 : 8;
    for (let round = -1; round < rounds; round++)
      for (let at = 0; at < KINDS.length; at++) {
        const kind = KINDS[(at + round + KINDS.length) % KINDS.length]!;
        const gap = await run(stage, server, kind, paths);
        if (round >= 0) gaps[kind].push(gap);
      }
  }
  const memory = {} as Record<Kind, number[]>;
  for (const kind of KINDS) {
    memory[kind] = [];
    for (let round = 0; round < (stage.quick ? 1 : 2); round++) {
      await using server = await startServer(stage);
      for (let runs = 0; runs < 2; runs++) await run(stage, server, kind, paths);
      memory[kind].push(residentMb(server.pid));
    }
  }
  const rows = (what: string, unit: Row["unit"], samples: Record<Kind, number[]>) =>
    KINDS.map((kind): Row => ({
      what: `${what}, ${kind}`,
      unit,
      samples: samples[kind],
      ...(kind === "alone" ? {} : { floor: samples.alone, against: "alone" }),
    }));
  return [...rows("web, between turns", "ms", gaps), ...rows("web, memory of the server", "MB", memory)];
}

async function run(stage: Stage, server: StartedServer, kind: Kind, paths: readonly string[]): Promise<number> {
  const script = [
    { text: "ok" },
    ...paths.map((path) => ({ text: ANSWER, deltas: DELTAS, calls: [read(path)] })),
    { text: "finished" },
  ];
  await stage.model.play(script, [`content-${TURNS - 1}-end`]);
  const id = await server.begin();
  using page = await server.open(id);
  await page.answer("Say ok");
  using _other =
    kind === "alone" ? undefined : kind === "with another page" ? await server.open(id) : await server.stop(id);
  await page.answer("Continue until you are done");
  const { stamps, found } = await stage.model.report();
  const turns = stamps.filter(({ isTurn }) => isTurn);
  if (turns.length !== script.length || found.length === 0)
    throw new Error(`The program made ${turns.length} requests; the script has ${script.length} replies`);
  return median(turns.slice(WARM + 1).map(({ arrived }, at) => arrived - turns[at + WARM]!.ended));
}

const residentMb = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
