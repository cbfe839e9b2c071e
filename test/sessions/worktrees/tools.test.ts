// EnterWorktree and ExitWorktree: where the session works afterwards, and what it may do there.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readTranscript, runKeelson, startMockModel, transcriptFiles } from "@keelson/testkit";
import type { JsonObject } from "@keelson/protocol";
import { messagesOf, resultOf, STREAM, told, toolUseResults } from "../front-door.ts";
import { repositoryHome } from "./repository.ts";

const enter = (input: JsonObject = {}) => ({ calls: [{ name: "EnterWorktree", input }] });
const exit = (input: JsonObject) => ({ calls: [{ name: "ExitWorktree", input }] });
const write = (file_path: string, content = "new\n") => ({ calls: [{ name: "Write", input: { file_path, content } }] });
const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
const done = { text: "done" };

test("entering moves the session: files, commands, transcript and the next init name the worktree", async () => {
  using home = repositoryHome();
  const path = home.worktree("fix");
  await using model = await startMockModel([
    enter({ name: "fix" }),
    write("made.txt"),
    bash("pwd; git branch --show-current"),
    done,
  ]);
  const args = ["-p", "go", ...STREAM, "--permission-mode", "acceptEdits", "--allowedTools", "Bash"];
  const ended = await runKeelson(args, { home, url: model.url });

  expect(resultOf(ended).result).toBe("done");
  const [entered, written, ran] = toolUseResults(ended);
  expect(entered).toEqual({ worktreePath: path, worktreeBranch: "worktree-fix", message: expect.any(String) });
  expect(written.filePath).toBe(join(path, "made.txt"));
  expect(ran.stdout).toBe(`${path}\nworktree-fix`);
  expect(told(model.requests[1]!)[0].content).toStartWith(`Created the worktree ${path} on the branch worktree-fix.`);
  expect(existsSync(join(home.project, "made.txt"))).toBe(false);
  expect(home.git("status", "--porcelain")).toBe("");
  // Not locked any more, and kept: it holds work.
  expect(home.git("worktree", "list", "--porcelain")).not.toContain("locked");
  expect(home.gitIn(path, "status", "--porcelain")).toBe("?? made.txt\n");
  expect(transcriptFiles(home)).toHaveLength(1);
  expect(readTranscript(home).filter(({ type }: any) => type === "worktree-state")).toEqual([
    {
      type: "worktree-state",
      worktreeSession: {
        originalCwd: home.project,
        worktreePath: path,
        worktreeName: "fix",
        worktreeBranch: "worktree-fix",
        sessionId: resultOf(ended).session_id,
      },
      sessionId: resultOf(ended).session_id,
    },
  ]);
});

test("the main checkout is no working directory while the session is in a worktree", async () => {
  using home = repositoryHome();
  await using model = await startMockModel([
    enter({ name: "fix" }),
    write(join(home.project, "b.txt")),
    bash(`echo x > ${join(home.project, "c.txt")}`),
    exit({ action: "keep" }),
    write(join(home.project, "b.txt")),
    done,
  ]);
  const args = ["-p", "go", ...STREAM, "--permission-mode", "acceptEdits"];
  const ended = await runKeelson(args, { home, url: model.url });
  expect(resultOf(ended).permission_denials.map(({ tool_name }: any) => tool_name)).toEqual(["Write", "Bash"]);
  expect(existsSync(join(home.project, "c.txt"))).toBe(false);
  expect(home.read("b.txt")).toBe("new\n");
});

test("rules of the project apply in the worktree, and do not open the main checkout", async () => {
  using home = repositoryHome({
    ".gitignore": ".env\n",
    ".worktreeinclude": ".env\n",
    "src/x.txt": "x\n",
    ".claude/settings.json": JSON.stringify({ permissions: { deny: ["Read(/.env)"] } }),
  });
  home.write(".env", "KEY=secret\n");
  home.settings({ permissions: { deny: [`Read(/${home.project}/a.txt)`], allow: [`Edit(/${home.project}/src/**)`] } });
  const path = home.worktree("fix");
  const read = (file_path: string) => ({ calls: [{ name: "Read", input: { file_path } }] });
  await using model = await startMockModel([
    enter({ name: "fix" }),
    read(join(path, ".env")),
    read(join(path, "a.txt")),
    write(join(path, "src/y.txt")),
    write(join(home.project, "src/y.txt")),
    done,
  ]);
  const ended = await runKeelson(["-p", "go", ...STREAM], { home, url: model.url });
  expect(readFileSync(join(path, ".env"), "utf8")).toBe("KEY=secret\n");
  const denied = resultOf(ended).permission_denials.map(({ tool_input }: any) => tool_input.file_path);
  expect(denied).toEqual([join(path, ".env"), join(path, "a.txt"), join(home.project, "src/y.txt")]);
  expect(readFileSync(join(path, "src/y.txt"), "utf8")).toBe("new\n");
});

test("leaving with remove deletes an unchanged worktree, and refuses to delete work", async () => {
  using home = repositoryHome();
  await using model = await startMockModel([
    enter({ name: "one" }),
    exit({ action: "remove" }),
    enter({ name: "two" }),
    write("work.txt"),
    exit({ action: "remove" }),
    exit({ action: "remove", discard_changes: true }),
    exit({ action: "keep" }),
    done,
  ]);
  const args = ["-p", "go", ...STREAM, "--permission-mode", "acceptEdits"];
  const ended = await runKeelson(args, { home, url: model.url });
  const results = toolUseResults(ended);
  const original = { action: "remove", originalCwd: home.project };
  expect(results[1]).toEqual({
    ...original,
    worktreePath: home.worktree("one"),
    worktreeBranch: "worktree-one",
    message: `Left and removed the worktree ${home.worktree("one")}. The session is back in ${home.project}.`,
  });
  expect(results[4]).toStartWith(
    "Error: Worktree has 1 uncommitted file. Removing will discard this work permanently. ",
  );
  expect(results[5]).toMatchObject({ ...original, discardedFiles: 1 });
  expect(told(model.requests[7]!)[0]).toMatchObject({
    is_error: true,
    content: "<tool_use_error>The session is not in a worktree. Nothing was changed.</tool_use_error>",
  });
  expect([home.worktrees(), home.branches()]).toEqual([[home.project], ["main"]]);
  expect(messagesOf(ended, "result")[0].permission_denials).toEqual([]);
});

test("a worktree elsewhere needs approval, and is never removed", async () => {
  using home = repositoryHome();
  const path = join(home.root, "other");
  home.git("worktree", "add", "-q", "-b", "other", path);
  const steps = [enter({ path }), exit({ action: "remove" }), exit({ action: "keep" }), done];
  await using asking = await startMockModel([enter({ path }), done]);
  const refused = await runKeelson(["-p", "go", ...STREAM], { home, url: asking.url });
  expect(resultOf(refused).permission_denials).toHaveLength(1);
  await using model = await startMockModel(steps);
  const ended = await runKeelson(["-p", "go", ...STREAM, "--allowedTools", "EnterWorktree"], { home, url: model.url });
  const results = toolUseResults(ended);
  expect(results[0]).toMatchObject({ worktreePath: path, worktreeBranch: "other" });
  expect(results[1]).toContain("This worktree was entered by its path, so it is not removed");
  expect(existsSync(path)).toBe(true);
});

test.each([
  [{ name: "../x" }, "is not a valid worktree name"],
  [{ name: "a", path: "/b" }, "Give either `name` or `path`, not both."],
  [{ path: ".claude/worktrees/none" }, "does not exist"],
  [{ path: ".claude/worktrees/link" }, "is reached through a link"],
])("EnterWorktree %j is refused", async (input, why) => {
  using home = repositoryHome();
  Bun.spawnSync(["mkdir", "-p", ".claude/worktrees"], { cwd: home.project });
  Bun.spawnSync(["ln", "-s", "/etc", ".claude/worktrees/link"], { cwd: home.project });
  await using model = await startMockModel([enter(input), done]);
  await runKeelson(["-p", "go"], { home, url: model.url });
  expect(told(model.requests[1]!)[0].content).toContain(why);
  expect(home.branches()).toEqual(["main"]);
});

test("the instructions of the worktree reach the model if they are different", async () => {
  using home = repositoryHome({ "CLAUDE.md": "Committed advice." });
  home.write("CLAUDE.md", "Local advice.");
  await using model = await startMockModel([enter({ name: "fix" }), exit({ action: "remove" }), done]);
  await runKeelson(["-p", "go"], { home, url: model.url });
  expect(told(model.requests[1]!)[0].content).toContain("Committed advice.");
  expect(told(model.requests[1]!)[0].content).not.toContain("Local advice.");
  expect(told(model.requests[2]!)[0].content).toContain("Local advice.");
});

test("CwdChanged hooks run on the way in and out", async () => {
  using home = repositoryHome();
  home.settings({ hooks: { CwdChanged: [{ hooks: [{ type: "command", command: `cat >> ${home.root}/moves` }] }] } });
  await using model = await startMockModel([enter({ name: "fix" }), exit({ action: "remove" }), done]);
  await runKeelson(["-p", "go"], { home, url: model.url });
  const moves = readFileSync(join(home.root, "moves"), "utf8").replaceAll("}{", "}\n{").trim().split("\n");
  expect(moves.map((line) => JSON.parse(line)).map(({ old_cwd, new_cwd }) => [old_cwd, new_cwd])).toEqual([
    [home.project, home.worktree("fix")],
    [home.worktree("fix"), home.project],
  ]);
});
