// What people use when an editor and this program do not get along: `--check`, and a record of what was said.

import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, transcriptFiles } from "@keelson/testkit";
import { fakeServer } from "../servers/fake.ts";
import { startEditor } from "./editor.ts";

test("--check prints what an editor would get, and leaves nothing behind", async () => {
  using home = temporaryHome();
  home.write(".claude/settings.json", { permissions: { allow: ["Bash(*)"] } });
  home.write("~/.claude/commands/greet.md", "Greet $ARGUMENTS");
  const works = fakeServer(home, "works", { tools: ["look"] });
  const servers = { works: works.entry, fails: { command: join(home.project, "nothing") } };
  const config = home.write("~/servers.json", { mcpServers: servers });
  const { code, stdout, stderr } = await runKeelson(["acp", "--check", "--mcp-config", config], { home });
  expect(code).toBe(0);
  expect(stderr).toContain("permissions.allow ignored");
  const lines = stdout.split("\n");
  const line = (name: string) => lines.find((each) => each.startsWith(name));
  expect(line("Protocol")).toEndWith("Agent Client Protocol 1");
  expect(line("Capabilities")).toContain("loadSession");
  expect(line("Key")).toContain("none");
  expect(line("Signing in")).toContain("keelson auth login");
  expect(line("Modes")).toContain("default (chosen), acceptEdits, plan");
  expect(line("Models")).toContain("(chosen)");
  expect(line("Commands")).toContain("/greet");
  expect(stdout).toMatch(/ {2}works: connected$/m);
  expect(stdout).toMatch(/ {2}fails: failed \(.+\)$/m);
  expect(line("Folder")).toEndWith(`${home.project} (not trusted)`);
  expect(line("Notices")).toContain("keelson trust");
  expect(transcriptFiles(home)).toEqual([]);
});

test("--check says the key, the trust, and why there is no session", async () => {
  using home = temporaryHome();
  expect((await runKeelson(["trust", home.project], { home })).code).toBe(0);
  const env = { ANTHROPIC_API_KEY: "test-key" };
  const { stdout } = await runKeelson(["acp", "--check"], { home, env });
  expect(stdout).toMatch(/^Key +there is one/m);
  expect(stdout).toContain(`${home.project} (trusted)`);
  const refused = await runKeelson(["acp", "--check", "--model", "nobody/nothing"], { home, env });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toStartWith("error: an editor cannot open a session here: ");
  expect(refused.stdout).toBe("");
});

test("--record keeps what is said in both directions, without secrets, for the user alone", async () => {
  using home = temporaryHome();
  const file = join(home.project, "said.jsonl");
  await using model = await startMockModel([{ text: "Your key is test-key, and ghp_abcdefghijklmnopqrst1234." }]);
  const server = fakeServer(home, "mine", { tools: ["look"] });
  await using editor = await startEditor({ home, url: model.url, args: ["--record", "said.jsonl"] });
  const env = [{ name: "PLACE", value: "hidden-in-env" }];
  const mcpServers = [
    { name: "mine", ...server.entry, env },
    { type: "http", name: "far", url: "http://user:hidden-in-url@127.0.0.1:1/?t=hidden-in-query", headers: env },
  ];
  const { sessionId } = await editor.open({ mcpServers });
  const long = "x".repeat(20_000);
  await editor.prompt(sessionId, `Look: ${long}`);
  editor.raw("no JSON, but test-key\n");
  await editor.until(({ error }) => error?.code === -32700);
  await editor.end();
  const text = readFileSync(file, "utf8");
  const said = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(said.map(({ from, message }) => [from, message?.method ?? typeof message]).slice(0, 3)).toEqual([
    ["editor", "initialize"],
    ["keelson", "object"],
    ["editor", "session/new"],
  ]);
  expect(said.filter(({ from }) => from === "keelson")).toHaveLength(editor.messages.length);
  expect(said.find(({ text: broken }) => broken !== undefined)).toMatchObject({
    from: "editor",
    text: "no JSON, but [hidden]",
  });
  expect(text).toContain("Your key is [hidden], and [hidden].");
  expect(text).not.toMatch(/hidden-in|test-key|ghp_/);
  expect(text.length).toBeLessThan(40_000);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("a record that cannot be written is refused at once", async () => {
  using home = temporaryHome();
  writeFileSync(join(home.project, "taken"), "");
  const run = await runKeelson(["acp", "--record", "taken/said.jsonl"], { home });
  expect([run.code, run.stdout]).toEqual([1, ""]);
  expect(run.stderr).toStartWith("error: --record: cannot write the file: ");
  expect(existsSync(join(home.project, "taken", "said.jsonl"))).toBe(false);
});
