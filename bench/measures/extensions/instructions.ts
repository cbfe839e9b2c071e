// A start in a folder 20 levels deep, with 1,000 instruction files in its parents, and with none.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { repeat } from "../../repeat.ts";
import type { Stage } from "../../stage.ts";
import type { Row } from "../../table.ts";

const LEVELS = 20;
const RULES = 48;

export async function instructions(stage: Stage): Promise<Row[]> {
  const full = await plant(join(stage.folder, "instructed"), RULES);
  const empty = await plant(join(stage.folder, "uninstructed"), 0);
  const first = async (cwd: string) => (await stage.play([{ text: "ok" }], { cwd })).firstRequestMs;
  const rounds = await repeat(stage.quick ? 5 : 15, async () => ({
    own: await first(full),
    floor: await first(empty),
  }));
  return [
    {
      what: "first request with 1,000 instruction files",
      unit: "ms",
      samples: rounds.map(({ own }) => own),
      floor: rounds.map(({ floor }) => floor),
      against: "the same without any",
    },
  ];
}

/** Writes a CLAUDE.md, a file it includes and `rules` rules on each level. Returns the deepest folder. */
async function plant(top: string, rules: number): Promise<string> {
  let folder = top;
  for (let level = 0; level < LEVELS; level++) {
    folder = join(folder, `level-${level}`);
    await mkdir(folder, { recursive: true });
    if (rules === 0) continue;
    await Bun.write(join(folder, "CLAUDE.md"), `# Level ${level}\n\nUse tabs. @./more.md\n`);
    await Bun.write(join(folder, "more.md"), "More.\n".repeat(20));
    for (let i = 0; i < rules; i++) {
      const path = join(folder, ".claude", "rules", `group-${i % 4}`, `rule-${i}.md`);
      await Bun.write(path, `---\ndescription: x\n---\n${"A rule. ".repeat(40)}`);
    }
  }
  return folder;
}
