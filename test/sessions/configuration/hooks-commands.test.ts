// The commands for those who write hooks, through the real program: what is registered, what a hook would do, what it did.

import { expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { told } from "../front-door.ts";

async function hooks(home: TemporaryHome, ...words: readonly string[]) {
  const { code, stdout, stderr } = await runKeelson(["hooks", ...words], { home });
  return { code, stdout, stderr };
}

const GUARD = `#!/bin/sh
input=$(cat)
echo "$input" >> "$CLAUDE_PROJECT_DIR/seen.log"
case "$input" in
  *"push --force"*) echo "Force pushes are not allowed here" >&2; exit 2 ;;
esac
exit 0
`;

function guarded(home: TemporaryHome): void {
  chmodSync(home.write(".claude/hooks/guard.sh", GUARD), 0o755);
  home.write(".claude/settings.json", {
    hooks: {
      PreToolUse: [
        { matcher: "Bash", hooks: [{ type: "command", command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh' }] },
      ],
      UserPromptSubmit: [{ hooks: [{ type: "command", command: "echo remember the milk" }] }],
    },
  });
}

const FORCE = { command: "git push --force" };

test("what hooks test says the model would see is what it sees, and nothing is left in the folder", async () => {
  using home = temporaryHome();
  guarded(home);
  const before = readdirSync(home.project);
  const tested = JSON.parse(
    (await hooks(home, "test", "PreToolUse", "--input", JSON.stringify(FORCE), "--json")).stdout,
  );
  const asked = JSON.parse((await hooks(home, "test", "UserPromptSubmit", "--json")).stdout);
  expect(readdirSync(home.project)).toEqual(before);
  expect(tested.effects).toEqual(["The call is refused"]);

  await using model = await startMockModel([{ calls: [{ name: "Bash", input: FORCE }] }, { text: "done" }]);
  await runKeelson(["-p", "go"], { home, url: model.url });
  expect(told(model.requests[1]!)[0]).toMatchObject({ content: tested.texts[0].text, is_error: true });
  expect(asked.texts).toEqual([{ as: "reminder", text: "UserPromptSubmit hook success: remember the milk" }]);
  expect(JSON.stringify(model.requests[0]!.body.messages)).toContain(asked.texts[0].text);
  expect(existsSync(join(home.project, "seen.log"))).toBe(true);
});

test("hooks trace shows what every hook of a session was told, said and took", async () => {
  using home = temporaryHome();
  guarded(home);
  await using model = await startMockModel([
    { calls: [{ name: "Bash", input: FORCE }] },
    { calls: [{ name: "Bash", input: { command: "true" } }] },
    { text: "done" },
  ]);
  const ended = await runKeelson(["-p", "go", "--output-format", "json", "--name", "the push"], {
    home,
    url: model.url,
  });
  const id: string = JSON.parse(ended.stdout).session_id;

  const text = (await hooks(home, "trace")).stdout;
  expect(text.replaceAll(/\d\d:\d\d:\d\d\.\d{3}|\d+(?= ms)/g, "N").replaceAll(/"tool_use_id":"[^"]*"/g, "…")).toBe(
    `Session ${id}  (times are UTC)

N  UserPromptSubmit
  input {"permission_mode":"default","prompt":"go"}
  · echo remember the milk  adds context  exit 0, N ms  .claude/settings.json
      stdout   remember the milk
  → Nothing changes

N  PreToolUse:Bash
  input {"permission_mode":"default","tool_name":"Bash","tool_input":{"command":"git push --force"},…}
  ✗ "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh  blocks  exit 2, N ms  .claude/settings.json
      stderr   Force pushes are not allowed here
  → The call is refused

N  PreToolUse:Bash
  input {"permission_mode":"default","tool_name":"Bash","tool_input":{"command":"true"},…}
  · "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.sh  no objection  exit 0, N ms  .claude/settings.json
  → Nothing changes

3 hooks ran, N ms in total
`,
  );
  for (const wanted of [id, id.slice(0, 8), "the push"]) {
    expect((await hooks(home, "trace", wanted)).stdout).toBe(text);
  }
  const { session, firings } = JSON.parse((await hooks(home, "trace", id, "--json")).stdout);
  expect({ session, labels: firings.map(({ label }: any) => label), told: firings[1].input.tool_input }).toEqual({
    session: id,
    labels: ["UserPromptSubmit", "PreToolUse:Bash", "PreToolUse:Bash"],
    told: FORCE,
  });
});

test("the trace is private, and a session without hooks has none", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  const first = JSON.parse(
    (await runKeelson(["-p", "go", "--output-format", "json"], { home, url: model.url })).stdout,
  );
  expect(await hooks(home, "trace")).toEqual({
    code: 0,
    stdout: `Session ${first.session_id}  (times are UTC)\n\nNo hook ran\n`,
    stderr: "",
  });
  expect(JSON.parse((await hooks(home, "trace", "--json")).stdout)).toEqual({
    session: first.session_id,
    firings: [],
  });
  guarded(home);
  await runKeelson(["-p", "go"], { home, url: model.url });
  const { path } = readTracePath(home);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

function readTracePath(home: TemporaryHome): { path: string } {
  const projects = join(home.configDir, "projects");
  const name = readdirSync(projects, { recursive: true }).find((each) => String(each).endsWith("hooks.jsonl"));
  return { path: join(projects, String(name)) };
}

test("hooks list follows the flags that choose settings, and says why something does not run", async () => {
  using home = temporaryHome();
  guarded(home);
  expect((await hooks(home, "list")).stdout).toContain("2 hooks, this folder is not trusted");
  expect((await hooks(home, "list", "--bare")).stdout).toContain("! --bare skips the hooks in settings files");
  expect((await hooks(home, "list", "--require-trust")).stdout).toContain(
    "! Trust is required and this folder is not trusted",
  );
  expect((await hooks(home, "list", "--setting-sources", "user")).stdout).toBe("0 hooks, this folder is not trusted\n");
  const off = await hooks(home, "list", "--settings", '{"disableAllHooks": true}');
  expect(off.stdout).toContain("! disableAllHooks is on in --settings");
});

test("hooks that are off do not fire: --bare, --require-trust, disableAllHooks of the user, not of the folder", async () => {
  using home = temporaryHome();
  guarded(home);
  const fires = async (...flags: readonly string[]) => {
    await using model = await startMockModel([{ text: "done" }]);
    await runKeelson(["-p", "go", ...flags], { home, url: model.url });
    return JSON.stringify(model.requests[0]!.body.messages).includes("remember the milk");
  };
  const folder = JSON.parse(await Bun.file(join(home.project, ".claude/settings.json")).text());
  home.write(".claude/settings.json", { ...folder, disableAllHooks: true });
  expect({
    asTheyAre: await fires(),
    bare: await fires("--bare"),
    trust: await fires("--require-trust"),
    off: await fires("--settings", '{"disableAllHooks": true}'),
  }).toEqual({ asTheyAre: true, bare: false, trust: false, off: false });
});

test("an interrupted test ends its hooks and takes the copy away", async () => {
  using home = temporaryHome();
  home.settings({ hooks: { Stop: [{ hooks: [{ type: "command", command: 'pwd > "$OUT"; sleep 60' }] }] } });
  const out = join(home.root, "where");
  await using running = startKeelson(["hooks", "test", "Stop"], { home, env: { OUT: out } });
  while (!existsSync(out) || statSync(out).size === 0) await Bun.sleep(10);
  const copy = (await Bun.file(out).text()).trim();
  expect(existsSync(copy)).toBe(true);
  running.kill("SIGINT");
  const { stdout, code } = await running.done;
  expect({ code, told: stdout.includes("was interrupted"), left: existsSync(copy) }).toEqual({
    code: 130,
    told: true,
    left: false,
  });
});
