// Permissions in every kind of agent: the calls of a subagent, a fork, a forked skill, an agent hook and a teammate have
// the fate that those of the main agent have, in every mode and for every attack.

import { expect, test } from "bun:test";
import { PERMISSION_MODES } from "@keelson/protocol";
import { join } from "node:path";
import type { ScriptedCall, TemporaryHome } from "@keelson/testkit";
import { AGENT_HOOK, BACKGROUND, FOREGROUND, FORK, MAIN, SKILL_FORK, TEAMMATE, WORKTREE, type Kind } from "../kinds.ts";
import { startInEditor } from "../in-editor.ts";
import { fatesOf, type Circumstances, type Fate } from "./fates.ts";
import { ATTACKS, lay, placed, type Table } from "./tables.ts";

const KINDS: readonly Kind[] = [FOREGROUND, BACKGROUND, FORK, SKILL_FORK, AGENT_HOOK, TEAMMATE, WORKTREE];

function expected(kind: Kind, fates: readonly Fate[]): readonly unknown[] {
  if (kind.isolated)
    return fates.map((each) =>
      IN_CHECKOUT.has(each.call) ? { ...each, fate: "runs", text: expect.any(String) } : each,
    );
  return fates;
}

/** What these name is outside the project, and for a child in a worktree of it inside: it may read the main checkout. */
const IN_CHECKOUT = new Set(
  ["npm test < ../x", "cd kit; npm test < ../../x", "rg - ../secret"].map(
    (command) => `Bash ${JSON.stringify({ command })}`,
  ),
);

/** What the model reads after a no is said by who asked. */
const ASKED = { fate: "asked", text: expect.any(String) };
const throughAnother = (fates: readonly Fate[]): readonly unknown[] =>
  fates.map((each) => (each.fate === "asked" ? { ...each, ...ASKED } : each));

/** Returns the fates in the main agent. */
async function compare(circumstances: Circumstances): Promise<readonly Fate[]> {
  const fates = await fatesOf(MAIN, circumstances);
  // No worktree is made in plan mode.
  const isPlan = circumstances.flags?.includes("plan") === true;
  for (const kind of KINDS.filter(({ isolated }) => !(isolated && isPlan))) {
    const found = await fatesOf(kind, circumstances);
    const same = kind.tools ? await fatesOf({ ...MAIN, tools: kind.tools }, circumstances) : fates;
    expect([kind.name, ...found]).toEqual([kind.name, ...(expected(kind, same) as any[])]);
  }
  expect(await fatesOf(MAIN, circumstances, startInEditor)).toEqual(throughAnother(fates) as Fate[]);
  return fates;
}

const bash = (command: string): ScriptedCall => ({ name: "Bash", input: { command } });
const read = (file_path: string): ScriptedCall => ({ name: "Read", input: { file_path } });
const write = (file_path: string): ScriptedCall => ({ name: "Write", input: { file_path, content: "x" } });

/** One call of each class of `sessions/gate/modes.test.ts`, and what a rule decides. */
function classes(home: TemporaryHome): ScriptedCall[] {
  home.write("in.txt", "inside");
  const outside = home.write("~/out.txt", "outside");
  return [
    read("in.txt"),
    read(outside),
    write("a.txt"),
    write(join(home.home, "new.txt")),
    write(".husky/pre-commit"),
    bash("cat in.txt"),
    bash("mkdir made"),
    bash("node --eval 1"),
    bash("touch allowed.txt"),
    bash("touch asked.txt"),
    bash("touch denied.txt"),
    bash("rmdir /"),
    bash("'unterminated"),
  ];
}
const RULES = {
  permissions: {
    allow: ["Bash(touch allowed.txt)"],
    ask: ["Bash(touch asked.txt)"],
    deny: ["Bash(touch denied.txt)"],
  },
};
const denial = { text: JSON.stringify({ verdict: "deny", reason: "it is not needed" }) };

test.each(PERMISSION_MODES.map((mode) => [mode]))("in mode %s, class by class", async (mode) => {
  const aside = Array.from({ length: 20 }, () => denial);
  const circumstances = { settings: RULES, flags: ["--permission-mode", mode], aside, calls: classes };
  const fates = await compare(circumstances);
  // Otherwise nothing was compared.
  expect(new Set(fates.map(({ fate }) => fate)).size).toBeGreaterThan(1);
});

/** Tables that a session can have as they are, those with the same rules and mode together. */
const SESSIONS = Map.groupBy(
  ATTACKS.filter(
    ({ setup: { cwd, git, governing, shell, directories } }) => !cwd && !git && !governing && !shell && !directories,
  ),
  ({ setup }) => JSON.stringify(setup),
);

test.each([...SESSIONS.values()].map((tables) => [tables.map(({ kind }) => kind).join(", "), tables] as const))(
  "attacks: %s",
  async (_, tables: readonly Table[]) => {
    const { setup } = tables[0]!;
    const { allow = [], ask = [], deny = [], mode = "default" } = setup;
    await compare({
      settings: { permissions: { allow, ask, deny } },
      flags: ["--permission-mode", mode],
      calls(home) {
        lay(setup, home);
        const commands = tables.flatMap(({ calls }) =>
          calls.map(({ access }) => (access as { command: string }).command),
        );
        return placed(commands, home).map(bash);
      },
    });
  },
);
