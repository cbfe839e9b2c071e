// WorktreeCreate and WorktreeRemove hooks in place of git.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { messagesOf, STREAM, told, toolUseResults } from "../front-door.ts";

const enter = { calls: [{ name: "EnterWorktree", input: { name: "one" } }] };
const exit = (input: { action: string; discard_changes?: boolean }) => ({ calls: [{ name: "ExitWorktree", input }] });
const write = { calls: [{ name: "Write", input: { file_path: "made.txt", content: "new\n" } }] };
const done = { text: "done" };

function hookHome(create: string, remove = "true") {
  const home = temporaryHome();
  const place = join(home.root, "place");
  mkdirSync(place);
  const hook = (command: string) => [{ hooks: [{ type: "command", command }] }];
  home.settings({
    hooks: {
      WorktreeCreate: hook(`cat > ${home.root}/created; ${create.replaceAll("PLACE", place)}`),
      WorktreeRemove: hook(`cat > ${home.root}/removed; ${remove}`),
    },
  });
  const input = (name: string) => JSON.parse(readFileSync(join(home.root, name), "utf8"));
  return Object.assign(home, { place, input, has: (name: string) => existsSync(join(home.root, name)) });
}

test("the last line that the hook prints is the worktree, and the Remove hook gets it back", async () => {
  using home = hookHome("echo making it; echo PLACE; echo");
  await using model = await startMockModel([
    enter,
    { calls: [{ name: "Bash", input: { command: "pwd" } }] },
    exit({ action: "remove" }),
    done,
  ]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  const [entered, ran] = toolUseResults(ended);
  expect(entered).toEqual({ worktreePath: home.place, message: expect.any(String) });
  expect(ran.stdout).toBe(home.place);
  expect(home.input("created")).toMatchObject({ hook_event_name: "WorktreeCreate", name: "one", cwd: home.project });
  expect(home.input("removed")).toMatchObject({ hook_event_name: "WorktreeRemove", worktree_path: home.place });
});

test("changed files keep a hook's worktree, until they shall be discarded", async () => {
  using home = hookHome("echo PLACE");
  await using model = await startMockModel([
    enter,
    write,
    exit({ action: "remove" }),
    exit({ action: "remove", discard_changes: true }),
    done,
  ]);
  const args = ["-p", "go", ...STREAM, "--permission-mode", "acceptEdits"];
  const results = toolUseResults(await runKeelson(args, { home, url: model.url }));
  expect(results[2]).toStartWith("Error: Worktree has changed files. Removing will discard this work permanently.");
  expect(results[3]).toMatchObject({ action: "remove" });
  expect(home.has("removed")).toBe(true);
});

test.each([
  ["echo PLACE; exit 1", ""],
  ["echo no >&2; exit 2", "no"],
  ["true", "did not name a folder"],
  ["echo relative/path", "must print an absolute path"],
  ["echo PLACE/missing", "is not a folder"],
])("the hook %p makes no worktree", async (create, why) => {
  using home = hookHome(create);
  await using model = await startMockModel([enter, done]);
  await runKeelson(["-p", "go"], { home, url: model.url });
  const [result] = told(model.requests[1]!);
  expect(result.is_error).toBe(true);
  expect(result.content).toContain(why);
});

test("--worktree uses the hook; an unchanged worktree is removed at the end, a changed one is kept", async () => {
  using home = hookHome("echo PLACE");
  await using model = await startMockModel([done, write, done]);
  const args = ["-p", "go", ...STREAM, "--permission-mode", "acceptEdits", "-w", "one"];
  const unchanged = await runKeelson(args, { home, url: model.url });
  expect(messagesOf(unchanged, "system/init")[0].cwd).toBe(home.place);
  expect(home.input("removed")).toMatchObject({ worktree_path: home.place });
  Bun.spawnSync(["rm", join(home.root, "removed")]);
  const changed = await runKeelson(args, { home, url: model.url });
  expect(changed.stderr).toContain(`the worktree ${home.place} was kept: changed files`);
  expect(home.has("removed")).toBe(false);
});

test("an untrusted folder's hook makes worktrees only where hooks of it run at all", async () => {
  using home = temporaryHome();
  const settings = {
    hooks: { WorktreeCreate: [{ hooks: [{ type: "command", command: `touch ${home.root}/ran; echo /` }] }] },
  };
  home.write(".claude/settings.json", settings);
  await using model = await startMockModel([enter, done]);
  await runKeelson(["-p", "go", "--require-trust"], { home, url: model.url });
  expect(existsSync(join(home.root, "ran"))).toBe(false);
  expect(told(model.requests[1]!)[0].content).toContain("is not in a git repository");
});

test("an untrusted folder's hook does not choose where the session works; once it is trusted, it does", async () => {
  using home = temporaryHome();
  const elsewhere = join(home.root, "elsewhere");
  mkdirSync(elsewhere);
  const command = `touch ${home.root}/ran; echo ${elsewhere}`;
  home.write(".claude/settings.json", { hooks: { WorktreeCreate: [{ hooks: [{ type: "command", command }] }] } });
  {
    await using model = await startMockModel([enter, done]);
    await runKeelson(["-p", "go"], { home, url: model.url });
    expect(existsSync(join(home.root, "ran"))).toBe(false);
    expect(told(model.requests[1]!)[0].content).toContain(
      `The WorktreeCreate hook was not used: A folder that is not trusted does not choose where a session works; to trust it, run: keelson trust ${home.project}`,
    );
  }
  await runKeelson(["trust"], { home });
  await using model = await startMockModel([enter, done]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(toolUseResults(ended)[0]).toMatchObject({ worktreePath: elsewhere });
});
