// What the tests with a hostile repository share: how an attempt is planted and made, and what must not come of it.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { HOOK_EVENTS } from "@keelson/protocol";
import { temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { play, trust, type SkillRun } from "./skill-home.ts";

export const SECRET = "SECRET-outside-the-repository";
export const DONE = { text: "done" };

export interface Attempt {
  /** Plants the files of the repository. `mark` is a shell command that leaves the mark. */
  plant(home: TemporaryHome, mark: string): void;
  readonly prompt?: string;
  readonly replies?: readonly object[];
  readonly flags?: readonly string[];
  readonly user?: object;
  /** In a trusted folder the attempt leaves its mark, so the row can fail. */
  readonly runsIfTrusted?: true;
}

export const markOf = (home: TemporaryHome) => join(home.root, "mark");

export function prepare(home: TemporaryHome, { plant, user = {} }: Attempt): void {
  home.settings(user);
  home.write("~/secret.md", `---\ndescription: ${SECRET}\n---\n${SECRET}\n`);
  home.write("~/secrets/SKILL.md", `---\ndescription: ${SECRET}\n---\n${SECRET}\n`);
  plant(home, `touch ${markOf(home)}`);
}

/** As in a container: root may use every mode. */
const contained = (home: TemporaryHome): TemporaryHome => ({ ...home, env: { ...home.env, IS_SANDBOX: "1" } });

export const attack = (home: TemporaryHome, { prompt = "go", replies = [DONE], flags = [] }: Attempt) =>
  play(contained(home), prompt, replies, flags);

export function expectNothing(home: TemporaryHome, run: SkillRun): void {
  expect(existsSync(markOf(home))).toBe(false);
  const seen = [JSON.stringify(run.requests.map(({ body }) => body)), run.stdout, run.stderr].join("\n");
  expect(seen).not.toContain(SECRET);
  expect(run.signal).toBeNull();
}

export function tryAll(attempts: Readonly<Record<string, Attempt>>): void {
  for (const [name, attempt] of Object.entries(attempts)) {
    test(name, async () => {
      using home = temporaryHome();
      prepare(home, attempt);
      expectNothing(home, await attack(home, attempt));
      if (!attempt.runsIfTrusted) return;
      trust(home);
      await attack(home, attempt);
      expect(existsSync(markOf(home))).toBe(true);
    });
  }
}

export const command = (home: TemporaryHome, name: string, body: string, head = "description: x") =>
  home.write(`.claude/commands/${name}.md`, `---\n${head}\n---\n${body}\n`);

export function link(home: TemporaryHome, path: string, target: string): void {
  const full = join(home.project, path);
  mkdirSync(dirname(full), { recursive: true });
  symlinkSync(target, full);
}

/** A hook for every event there is. */
export const allHooks = (run: string) =>
  Object.fromEntries(HOOK_EVENTS.map((event) => [event, [{ hooks: [{ type: "command", command: run }] }]]));

export const BOTH_TOOLS = ["--allowedTools", "Bash", "Skill"];
