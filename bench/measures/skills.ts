// A start in a folder with as many skills, commands and agents as the largest collections have, and with none; and what
// it costs to invoke one of them.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { repeat } from "../repeat.ts";
import type { Stage } from "../stage.ts";
import type { Row } from "../table.ts";

const SKILLS = 800;
const COMMANDS = 180;
const AGENTS = 200;
/** Files that are newer are read again at the next start. */
const SETTLE_MS = 2_500;

export async function skills(stage: Stage): Promise<Row[]> {
  const full = join(stage.folder, "skilled");
  const empty = join(stage.folder, "unskilled");
  await plant(full);
  await mkdir(empty, { recursive: true });
  await Bun.sleep(SETTLE_MS);
  const first = async (cwd: string) => (await stage.play([{ text: "ok" }], { cwd })).firstRequestMs;
  // The first start reads the files and keeps an index.
  await first(full);
  const rounds = await repeat(stage.quick ? 5 : 15, async () => ({
    own: await first(full),
    floor: await first(empty),
  }));
  const invoke = async (cwd: string, skill: string) => {
    const { gapsMs } = await stage.play([{ calls: [{ name: "Skill", input: { skill } }] }, { text: "ok" }], { cwd });
    return gapsMs[0]!;
  };
  const invoked = await repeat(stage.quick ? 5 : 15, async () => ({
    own: await invoke(full, "skill-number-400"),
    floor: await invoke(empty, "review"),
  }));
  return [
    {
      what: `first request with ${SKILLS} skills, ${COMMANDS} commands, ${AGENTS} agents`,
      unit: "ms",
      samples: rounds.map(({ own }) => own),
      floor: rounds.map(({ floor }) => floor),
      against: "the same without any",
    },
    {
      what: `invoking one of ${SKILLS} skills`,
      unit: "ms",
      samples: invoked.map(({ own }) => own),
      floor: invoked.map(({ floor }) => floor),
      against: "invoking a bundled one without others",
    },
  ];
}

/** Sizes are the medians of public collections. */
async function plant(folder: string): Promise<void> {
  const write = (path: string, head: readonly string[], line: string, lines: number) =>
    Bun.write(join(folder, ".claude", path), `---\n${head.join("\n")}\n---\n\n${`${line}\n`.repeat(lines)}`);
  for (let at = 0; at < SKILLS; at++) {
    const description = `description: Does what number ${at} is for, step by step, when ${"someone asks for it ".repeat(6)}`;
    const head = [`name: skill-number-${at}`, description, "allowed-tools: Read, Grep, Bash(git log:*)"];
    await write(`skills/skill-number-${at}/SKILL.md`, head, "Look at the files first, then decide.", 150);
  }
  for (let at = 0; at < COMMANDS; at++) {
    const head = [`description: Command ${at}`, 'argument-hint: "[what]"'];
    await write(`commands/group-${at % 9}/command-${at}.md`, head, "Do $ARGUMENTS.", 250);
  }
  for (let at = 0; at < AGENTS; at++) {
    const head = [`name: agent-${at}`, `description: Agent ${at}`];
    await write(`agents/agent-${at}.md`, head, "Be careful.", 500);
  }
}
