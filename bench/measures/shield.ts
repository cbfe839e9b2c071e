// What the shield adds to a command: thirty small commands in a project with a denied file, and the same with a PATH
// that has no bubblewrap.

import { existsSync } from "node:fs";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { repeat } from "../repeat.ts";
import { shell } from "../model/script.ts";
import type { Stage } from "../stage.ts";
import { median, type Row } from "../table.ts";

const COMMANDS = 30;

export async function shield(stage: Stage): Promise<Row[]> {
  const cwd = join(stage.folder, "shielded-project");
  await mkdir(join(cwd, "sub"), { recursive: true });
  await Bun.write(join(cwd, "sub", ".env"), "hidden\n");
  const bare = await pathWithoutBubblewrap(join(stage.folder, "bare-bin"));
  // Quoted, because the simplest commands run without the shield.
  const script = [
    ...Array.from({ length: COMMANDS }, (_, i) => ({ calls: [shell(`echo 'shield-${i}-end'`)] })),
    { text: "ok" },
  ];
  const expected = ["shield-0-end", `shield-${COMMANDS - 1}-end`];
  const args = ["--disallowedTools", "Read(.env)"];
  const rounds = await repeat(stage.quick ? 2 : 6, async () => ({
    own: await stage.play(script, { cwd, args, expected }),
    floor: await stage.play(script, { cwd, args, expected, env: { PATH: bare } }),
  }));
  // The first command tests the shield and scans the project; it has its own row.
  const later = (gaps: readonly number[]) => median(gaps.slice(1));
  return [
    {
      what: "a command behind the shield",
      unit: "ms",
      samples: rounds.map(({ own }) => later(own.gapsMs)),
      floor: rounds.map(({ floor }) => later(floor.gapsMs)),
      against: "the same without bubblewrap",
    },
    {
      what: "the first command",
      unit: "ms",
      samples: rounds.map(({ own }) => own.gapsMs[0]!),
      floor: rounds.map(({ floor }) => floor.gapsMs[0]!),
      against: "the same without bubblewrap",
    },
  ];
}

async function pathWithoutBubblewrap(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const name of ["bash", "sh", "env", "cat", "grep", "sleep"]) {
    const found = Bun.which(name);
    if (found && !existsSync(join(folder, name))) await symlink(found, join(folder, name));
  }
  return folder;
}
