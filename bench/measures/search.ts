// Grep and Glob over 50,000 files compared with ripgrep alone, and a start in that project.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { currentPlatform, programsFor } from "../../scripts/platform.ts";
import { clock } from "../clock.ts";
import { repeat } from "../repeat.ts";
import { glob, grep, prose, type Call } from "../model/script.ts";
import type { Stage } from "../stage.ts";
import type { Row } from "../table.ts";

const HITS = 60;
const NEEDLE = "needle_in_the_stack";

export async function search(stage: Stage): Promise<Row[]> {
  const files = stage.quick ? 10_000 : 50_000;
  const cwd = await plantTree(join(stage.folder, "big-project"), files);
  const { ripgrep } = await programsFor(currentPlatform());
  const times = stage.quick ? 3 : 7;

  const ask = async (call: Call, hit: string) => {
    const rounds = await repeat(times, () => stage.play([{ calls: [call] }, { text: "ok" }], { cwd, expected: [hit] }));
    return { gaps: rounds.map((round) => round.gapsMs[0]!), first: rounds.map((round) => round.firstRequestMs) };
  };
  const bare = (args: string[]) => repeat(times, () => timeCommand([ripgrep, ...args], cwd));

  const grepped = await ask(grep(NEEDLE, cwd), "file-17.ts");
  const globbed = await ask(glob("**/*.rare.ts", cwd), "file-3.rare.ts");
  const against = "bare rg";
  return [
    {
      what: `Grep over ${files} files`,
      unit: "ms",
      samples: grepped.gaps,
      floor: await bare(["--files-with-matches", NEEDLE]),
      against,
    },
    {
      what: `Glob over ${files} files`,
      unit: "ms",
      samples: globbed.gaps,
      floor: await bare(["--files", "--glob", "**/*.rare.ts"]),
      against,
    },
    { what: `first request among ${files} files`, unit: "ms", samples: grepped.first },
  ];
}

async function plantTree(folder: string, files: number): Promise<string> {
  const bodies = Array.from({ length: 64 }, (_, i) => prose(700 + i * 20, i));
  const every = Math.floor(files / HITS);
  for (let i = 0; i < 500; i++) await mkdir(join(folder, directoryOf(i)), { recursive: true });
  for (let i = 0; i < files; i++) {
    const name = i % every === 3 ? `file-${i}.rare.ts` : `file-${i}.ts`;
    const text = bodies[i % 64]! + (i % every === 17 ? `\n// ${NEEDLE}\n` : "");
    await Bun.write(join(folder, directoryOf(i), name), text);
  }
  return folder;
}

function directoryOf(i: number): string {
  return join(`m${i % 25}`, `s${Math.floor(i / 25) % 20}`);
}

async function timeCommand(command: string[], cwd: string): Promise<number> {
  const started = clock();
  const child = Bun.spawn(command, { cwd, stdin: "ignore", stdout: "pipe" });
  await child.stdout.bytes();
  await child.exited;
  return clock() - started;
}
