// A start in a folder with as many skills, commands and agents as the largest collections have, and with none; and what
// it costs to invoke one of them.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { repeat } from "../../repeat.ts";
import type { Stage } from "../../stage.ts";
import type { Row } from "../../table.ts";

const SKILLS = 800;
const COMMANDS = 180;
const AGENTS = 200;
const ENTRIES = 290;
/** Files that are newer are read again at the next start. */
const SETTLE_MS = 2_500;

export async function skills(stage: Stage): Promise<Row[]> {
  const full = join(stage.folder, "skilled");
  const empty = join(stage.folder, "unskilled");
  const market = join(stage.folder, "home-with-marketplace");
  await plant(full);
  await plantMarketplace(market);
  await mkdir(empty, { recursive: true });
  await Bun.sleep(SETTLE_MS);
  const first = async (cwd: string, env = {}) => (await stage.play([{ text: "ok" }], { cwd, env })).firstRequestMs;
  const withAll = () => first(full, { HOME: market });
  // The first start reads the files and keeps an index.
  await withAll();
  const rounds = await repeat(stage.quick ? 5 : 15, async () => ({
    own: await withAll(),
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
      what: `first request with ${SKILLS} skills, ${COMMANDS} commands, ${AGENTS} agents, a marketplace of ${ENTRIES}`,
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

/** A known marketplace with this many plugins. */
async function plantMarketplace(home: string): Promise<void> {
  const folder = join(home, ".claude", "plugins");
  const installLocation = join(folder, "marketplaces", "big");
  const write = (path: string, value: object) => Bun.write(path, JSON.stringify(value));
  const plugins = Array.from({ length: ENTRIES }, (_, at) => ({
    name: `plugin-${at}`,
    source: `./plugins/plugin-${at}`,
    description: `Plugin ${at} ${"does one of many things ".repeat(6)}`,
    category: "development",
  }));
  await write(join(installLocation, ".claude-plugin", "marketplace.json"), {
    name: "big",
    owner: { name: "x" },
    plugins,
  });
  const source = { source: "directory", path: installLocation };
  const lastUpdated = new Date().toISOString();
  await write(join(folder, "known_marketplaces.json"), { big: { source, installLocation, lastUpdated } });
}
