// Resuming a long session: the program writes the session, then `--continue` reads it and sends all of it. The floor
// parses the same transcript line by line and sends everything.

import { existsSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { repeat } from "../repeat.ts";
import { prose, read } from "../model/script.ts";
import type { Stage } from "../stage.ts";
import type { Row } from "../table.ts";

const READS_PER_TURN = 10;

export async function resume(stage: Stage): Promise<Row[]> {
  const megabytes = stage.quick ? 5 : 20;
  const turns = stage.quick ? 20 : 60;
  const fileSize = Math.floor((megabytes * 1024 * 1024 * 0.8) / (turns * READS_PER_TURN));
  const textSize = Math.floor((megabytes * 1024 * 1024 * 0.2) / turns);

  // A separate project, so `--continue` finds only this session.
  const cwd = join(stage.folder, "long-session");
  // Several builds take turns, each in its own stage, and measure several times.
  if (!existsSync(cwd)) await writeSession(stage, cwd, { turns, fileSize, textSize });

  const transcript = await newestTranscript(stage.home);
  const rounds = await repeat(stage.quick ? 2 : 4, async () => {
    const own = await stage.play([{ text: "ok" }], { cwd, args: ["--continue"] });
    return { own, floor: await stage.playFloor([{ text: "ok" }], 0, transcript) };
  });
  const name = `resume of ${megabytes} MB`;
  return [
    {
      what: `${name}, first request`,
      unit: "ms",
      samples: rounds.map(({ own }) => own.firstRequestMs),
      floor: rounds.map(({ floor }) => floor.firstRequestMs),
      against: "parse every line, send everything",
    },
    {
      what: `${name}, CPU`,
      unit: "ms",
      samples: rounds.map(({ own }) => own.cpuMs),
      floor: rounds.map(({ floor }) => floor.cpuMs),
    },
    {
      what: `${name}, peak memory`,
      unit: "MB",
      samples: rounds.map(({ own }) => own.peakMb),
      floor: rounds.map(({ floor }) => floor.peakMb),
    },
    { what: `${name}, request`, unit: "MB", samples: rounds.map(({ own }) => own.requestBytes[0]! / 1e6) },
    { what: `${name}, transcript`, unit: "MB", samples: [(await stat(transcript)).size / 1e6] },
  ];
}

interface Sizes {
  readonly turns: number;
  readonly fileSize: number;
  readonly textSize: number;
}

async function writeSession(stage: Stage, cwd: string, { turns, fileSize, textSize }: Sizes): Promise<void> {
  await mkdir(cwd);
  const script = Array.from({ length: turns }, (_, turn) => ({
    text: prose(textSize, 7000 + turn),
    deltas: 20,
    calls: Array.from({ length: READS_PER_TURN }, (_, i) => read(join(cwd, `${turn}-${i}.txt`))),
  }));
  for (const { calls } of script) {
    for (const [i, { input }] of calls.entries()) await Bun.write(String(input.file_path), prose(fileSize, i));
  }
  await stage.play([...script, { text: "finished" }], { cwd, limitMs: 600_000 });
}

async function newestTranscript(home: string): Promise<string> {
  const paths = [...new Bun.Glob("**/*.jsonl").scanSync({ cwd: home, absolute: true, dot: true })];
  const dated = await Promise.all(paths.map(async (path) => ({ path, time: (await stat(path)).mtimeMs })));
  const newest = dated.toSorted((a, b) => b.time - a.time)[0];
  if (!newest) throw new Error("The program wrote no transcript");
  return newest.path;
}
