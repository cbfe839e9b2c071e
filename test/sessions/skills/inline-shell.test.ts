// Commands in the text of skills: what runs, what does not, and what becomes of arguments.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { resultOf } from "../front-door.ts";
import { lastOf, invoke, play, textsOf, trust, addSkill } from "./skill-home.ts";

const command = (home: TemporaryHome, head: string, body: string) =>
  home.write(".claude/commands/go.md", `---\n${head}\n---\n${body}`);

const bodyOf = async (home: TemporaryHome, prompt = "/go", flags: readonly string[] = []) => {
  const run = await play(home, prompt, [{ text: "done" }], flags);
  return { ...run, body: run.requests[0] && textsOf(run.requests[0].body.messages[0]).at(-1) };
};

test("the output replaces the command, once, in both forms", async () => {
  using home = temporaryHome();
  home.write("a.txt", "!`echo again` @a.txt $ARGUMENTS");
  command(home, "description: x", "A: !`cat a.txt`\n```!\necho one\necho two\n```\nB: $ARGUMENTS");
  const { body, requests } = await bodyOf(home, "/go now");
  expect(body).toBe("A: !`echo again` @a.txt $ARGUMENTS\none\ntwo\nB: now");
  expect(requests[0]!.body.messages[0].content.filter(({ text }: any) => text.includes("Called the Read"))).toEqual([]);
});

test("a command that is not allowed ends the invocation without a request", async () => {
  using home = temporaryHome();
  trust(home);
  command(home, "description: x", "!`touch made`");
  const { requests, ...run } = await bodyOf(home);
  expect(requests).toHaveLength(0);
  expect(resultOf(run as never).result).toContain('The inline command "touch made" did not succeed');
  command(home, "allowed-tools: Bash(touch:*)", "Made: !`touch made`");
  // What it may use now was not there when the folder was trusted.
  expect((await bodyOf(home)).requests).toHaveLength(0);
  expect((await runKeelson(["trust"], { home })).code).toBe(0);
  expect((await bodyOf(home)).body).toBe("Made: (Bash completed with no output)");
  expect(existsSync(join(home.project, "made"))).toBe(true);
});

test("a command that fails ends the invocation", async () => {
  using home = temporaryHome();
  command(home, "description: x", "!`cat missing.txt`");
  const { requests, ...run } = await bodyOf(home);
  expect(requests).toHaveLength(0);
  expect(resultOf(run as never).result).toContain("missing.txt");
});

test("in an untrusted folder only what is harmless by itself runs, whatever the user allowed", async () => {
  using home = temporaryHome();
  addSkill(home, "evil", "description: x\nallowed-tools: Bash", "!`touch made`");
  home.settings({ permissions: { allow: ["Bash"] } });
  for (const flags of [[], ["--permission-mode", "acceptEdits"], ["--allowedTools", "Bash", "Skill"]]) {
    const typed = await play(home, "/evil", [{ text: "done" }], flags);
    expect(typed.requests).toHaveLength(0);
    const invoked = await play(home, "hi", [invoke("evil"), { text: "done" }], flags);
    expect(lastOf(invoked.requests[1]!)[0]).not.toContain("Launching");
  }
  expect(existsSync(join(home.project, "made"))).toBe(false);
});

test("arguments stay data, also with a grant for every command", async () => {
  using home = temporaryHome();
  trust(home);
  command(home, "allowed-tools: Bash", '!`echo $ARGUMENTS` !`echo "<$0>"`');
  expect((await bodyOf(home, "/go '; touch made' $(touch made)")).body).toBe(
    "; touch made $(touch made) <; touch made>",
  );
  command(home, "allowed-tools: Bash", "!`$ARGUMENTS`");
  const refused = await bodyOf(home, "/go touch made");
  expect(refused.requests).toHaveLength(0);
  expect(resultOf(refused).result).toContain("An inline command was not run");
  expect(existsSync(join(home.project, "made"))).toBe(false);
});

test("settings can turn commands off", async () => {
  using home = temporaryHome();
  home.settings({ disableSkillShellExecution: true });
  command(home, "description: x", "A: !`echo hi`");
  expect((await bodyOf(home)).body).toBe(
    "A: [echo hi: not run, because the settings turn off commands in skills (disableSkillShellExecution)]",
  );
});
