// `--worktree`, and resuming sessions that are or were in worktrees.

import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel } from "@keelson/testkit";
import { messagesOf, resultOf, spoken, STREAM, toolUseResults } from "../front-door.ts";
import { repositoryHome } from "./repository.ts";

const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
const write = (file_path: string) => ({ calls: [{ name: "Write", input: { file_path, content: "new\n" } }] });
const done = { text: "done" };
const FREE = [...STREAM, "--permission-mode", "acceptEdits", "--allowedTools", "Bash"];

test("--worktree starts in a new worktree, and an unchanged one is gone afterwards", async () => {
  using home = repositoryHome();
  const path = home.worktree("fix");
  await using model = await startMockModel([bash("pwd"), done]);
  const ended = await runKeelson(["-p", "go", "-w", "fix", ...FREE], { home, url: model.url });
  expect(messagesOf(ended, "system/init")[0].cwd).toBe(path);
  expect(toolUseResults(ended)[0].stdout).toBe(path);
  expect(JSON.stringify(model.requests[0]!.body.system)).toContain(path);
  expect(ended.stderr).toBe("");
  expect([home.worktrees(), home.branches(), existsSync(path)]).toEqual([[home.project], ["main"], false]);
  expect(home.git("status", "--porcelain", "--untracked-files=all")).toBe("");
});

test("a worktree with work is kept, and standard error says where", async () => {
  using home = repositoryHome();
  const path = home.worktree("fix");
  await using model = await startMockModel([write("made.txt"), done]);
  const ended = await runKeelson(["-p", "go", "--worktree=fix", ...FREE], { home, url: model.url });
  expect(ended.stderr).toContain(`the worktree ${path} (branch worktree-fix) was kept: 1 uncommitted file`);
  expect(readFileSync(join(path, "made.txt"), "utf8")).toBe("new\n");
  expect(home.git("worktree", "list", "--porcelain")).not.toContain("locked");
});

test("without a name, one is made up; it is in use while the session runs", async () => {
  using home = repositoryHome();
  await using model = await startMockModel([bash("git worktree list --porcelain"), done]);
  const ended = await runKeelson(["-p", "go", ...FREE, "-w"], { home, url: model.url });
  const { cwd } = messagesOf(ended, "system/init")[0];
  expect(cwd).toMatch(/\/\.claude\/worktrees\/[a-z]+-[a-z]+$/);
  expect(toolUseResults(ended)[0].stdout).toMatch(/^locked keelson using \(pid \d+, started \d+\)$/m);
});

test.each([
  ["..", "is not a valid worktree name"],
  ["a".repeat(65), "the worktree name is too long"],
])("--worktree %p is refused", async (name, why) => {
  using home = repositoryHome();
  const { code, stderr } = await runKeelson(["-p", "go", "-w", name], { home, url: "http://127.0.0.1:9" });
  expect(code).toBe(1);
  expect(stderr).toContain(why);
  expect(home.branches()).toEqual(["main"]);
});

test("--worktree needs a repository", async () => {
  using home = repositoryHome();
  const cwd = join(home.root, "plain");
  mkdirSync(cwd);
  const { code, stderr } = await runKeelson(["-p", "go", "-w"], { home, cwd, url: "http://127.0.0.1:9" });
  expect([code, stderr]).toEqual([1, `error: '${cwd}' is not in a git repository; run git init first\n`]);
});

test("--tmux says that it needs a terminal", async () => {
  using home = repositoryHome();
  const { code, stderr } = await runKeelson(["-p", "go", "-w", "x", "--tmux"], { home, url: "http://127.0.0.1:9" });
  expect([code, stderr]).toEqual([1, "error: --tmux needs a terminal and cannot be used with --print\n"]);
});

test("a resumed session is in its worktree again, until that is gone", async () => {
  using home = repositoryHome();
  const path = home.worktree("fix");
  await using model = await startMockModel([write("made.txt"), done, bash("pwd"), done, bash("pwd"), done]);
  const run = (...args: string[]) => runKeelson(["-p", "go", ...FREE, ...args], { home, url: model.url });
  await run("-w", "fix");
  const again = await run("-c");
  expect(messagesOf(again, "system/init")[0].cwd).toBe(path);
  expect(toolUseResults(again)[0].stdout).toBe(path);
  expect(JSON.stringify(model.requests[2]!.body.system)).toContain(path);
  expect(existsSync(path)).toBe(true);

  home.git("worktree", "remove", "--force", path);
  const gone = await run("-c");
  expect(toolUseResults(gone)[0].stdout).toBe(home.project);
  expect(gone.stderr).toContain(`this session was in the worktree ${path}, which no longer exists`);
});

test("sessions of the other worktrees are found by id and by --continue, but not by a forged .git file", async () => {
  using home = repositoryHome();
  const tree = join(home.root, "tree");
  home.git("worktree", "add", "-q", tree);
  await using model = await startMockModel([{ text: "blue" }, done, done, done]);
  const run = (cwd: string, ...args: string[]) =>
    runKeelson(["-p", "go", ...STREAM, ...args], { home, cwd, url: model.url });
  const { session_id } = resultOf(await run(tree));

  const forged = join(home.root, "forged");
  mkdirSync(forged);
  for (const target of ["worktrees/tree", ""]) {
    writeFileSync(join(forged, ".git"), `gitdir: ${join(home.project, ".git", target)}\n`);
    const refused = await run(forged, "--resume", session_id);
    expect(refused.stderr).toContain(`No conversation found with session ID: ${session_id}`);
  }
  expect(model.requests).toHaveLength(1);

  expect(resultOf(await run(home.project, "--resume", session_id)).session_id).toBe(session_id);
  expect(resultOf(await run(home.project, "-c")).session_id).toBe(session_id);
  expect(JSON.stringify(spoken(model.requests[1]!))).toContain("blue");
});

test("a worktree in the main checkout's folder is trusted like it; a forged one is not", async () => {
  using home = repositoryHome({
    ".claude/settings.json": JSON.stringify({ permissions: { allow: ["Bash(touch x)"] } }),
  });
  home.write("~/.claude.json", { projects: { [home.project]: { hasTrustDialogAccepted: true } } });
  home.git("worktree", "add", "-q", home.worktree("real"));
  const forged = home.worktree("forged");
  mkdirSync(join(forged, ".claude"), { recursive: true });
  writeFileSync(join(forged, ".claude/settings.json"), home.read(".claude/settings.json"));
  writeFileSync(join(forged, ".git"), `gitdir: ${join(home.project, ".git/worktrees/real")}\n`);
  const denials = async (cwd: string) => {
    await using model = await startMockModel([bash("touch x"), done]);
    return resultOf(await runKeelson(["-p", "go", ...STREAM], { home, cwd, url: model.url })).permission_denials.length;
  };
  expect([await denials(home.worktree("real")), await denials(forged)]).toEqual([0, 1]);
});

test("a killed session leaves its worktree; the next one recovers it", async () => {
  using home = repositoryHome();
  const path = home.worktree("fix");
  {
    await using model = await startMockModel([write("made.txt"), bash("sleep 100")]);
    await using running = startKeelson(["-p", "go", "-w", "fix", ...FREE], { home, url: model.url });
    await running.waitForLine(({ type, message }) => type === "assistant" && message.content[0].name === "Bash");
    running.kill("SIGKILL");
    await running.done;
  }
  expect(home.git("worktree", "list", "--porcelain")).toContain("locked keelson using");
  await using model = await startMockModel([bash("cat made.txt"), done]);
  const ended = await runKeelson(["-p", "go", "-w", "fix", ...FREE], { home, url: model.url });
  expect(toolUseResults(ended)[0].stdout).toBe("new");
  expect(existsSync(join(path, "made.txt"))).toBe(true);
  expect(home.git("worktree", "list", "--porcelain")).not.toContain("locked");
});
