// Agents in worktrees of their own: what they change is not in the parent's folder, and nothing of it is lost.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { STREAM, toolUseResults } from "../../front-door.ts";
import { agent, cast, requestsOf } from "../cast.ts";

const TASK = "Change the file in your copy";
const ROLES = ["main", TASK];
const FLAGS = ["--permission-mode", "acceptEdits", "--allowedTools", "Bash(git *)"];

const git = (cwd: string, ...args: readonly string[]) =>
  Bun.spawnSync(["git", "-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd })
    .stdout.toString()
    .trim();

test("an agent in a worktree leaves its work there, and a clean worktree goes away", async () => {
  using home = temporaryHome({ git: true });
  home.write("a.txt", "alpha\n");
  git(home.project, "add", "-A");
  git(home.project, "commit", "-qm", "first");
  const write = (name: string, content: string) => ({
    calls: [{ name: "Write", input: { file_path: name, content } }],
  });
  await using model = await startMockModel(
    cast({
      main: [
        { calls: [agent(TASK, { isolation: "worktree" })] },
        { calls: [agent("Only look around", { isolation: "worktree" })] },
        { text: "Done" },
      ],
      [TASK]: [
        write("b.txt", "new\n"),
        { calls: [{ name: "Bash", input: { command: "pwd && git status --short" } }] },
        write(join(home.project, "outside.txt"), "x"),
        { text: "Changed" },
      ],
      "Only look around": [{ text: "Looked" }],
    }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM, ...FLAGS], { home, url: model.url });
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: "" });
  const [changed, looked] = toolUseResults(run);
  const { worktreePath, worktreeBranch, agentId } = changed;
  expect(worktreePath).toBe(join(home.project, ".claude", "worktrees", `agent-${agentId}`));
  expect(worktreeBranch).toBe(`worktree-agent-${agentId}`);
  expect(readFileSync(join(worktreePath, "b.txt"), "utf8")).toBe("new\n");
  expect(existsSync(join(home.project, "b.txt"))).toBe(false);
  expect(git(home.project, "status", "--short")).toBe("");

  const roles = [...ROLES, "Only look around"];
  const [first, , third, fourth] = requestsOf(model.requests, TASK, roles);
  expect(first.system[1].text).toContain(`Working directory: ${worktreePath}`);
  expect(first.messages[0].content.at(-1).text).toBe(TASK);
  expect(JSON.stringify(first.messages[0])).toContain(worktreePath);
  expect(JSON.stringify(third.messages.at(-1))).toContain(worktreePath);
  // The parent's folder is not the agent's to change.
  expect(fourth.messages.at(-1).content[0]).toMatchObject({ is_error: true });
  expect(existsSync(join(home.project, "outside.txt"))).toBe(false);

  expect("worktreePath" in looked).toBe(false);
  expect(git(home.project, "worktree", "list").split("\n")).toHaveLength(2);
  expect(git(home.project, "branch", "--list", "worktree-*").split("\n")).toHaveLength(1);
});

test("outside a repository there is no worktree, and the model is told why", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(
    cast({ main: [{ calls: [agent(TASK, { isolation: "worktree" })] }, { text: "Done" }] }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  expect(run.code).toBe(0);
  const { content, is_error: isError } = model.requests.at(-1)!.body.messages.at(-1).content[0];
  expect(isError).toBe(true);
  expect(content).toStartWith("The agent cannot get a worktree: ");
});
