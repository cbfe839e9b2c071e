// Subagents in worktrees: the rules of the project hold in their copies of its files.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel } from "@keelson/testkit";
import { agent, cast, requestsOf } from "../agents/cast.ts";
import { STREAM } from "../front-door.ts";
import { repositoryHome } from "./repository.ts";

const TASK = "Look for the key";
const ROLES = ["main", TASK];

test("what is denied in the main checkout is denied in an agent's worktree, for tools and for commands", async () => {
  using home = repositoryHome({
    ".gitignore": ".env\n",
    ".worktreeinclude": ".env\n",
    ".claude/settings.json": JSON.stringify({ permissions: { deny: ["Read(/.env)"] } }),
  });
  home.write(".env", "KEY=open-sesame\n");
  const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK, { isolation: "worktree" })] }, { text: "Done" }],
      [TASK]: [
        { calls: [{ name: "Read", input: { file_path: ".env" } }] },
        bash("cat .env"),
        bash("e=.en; e+=v; cat $e; ls -a"),
        { text: "Looked" },
      ],
    }),
  );
  const { stdout } = await runKeelson(["-p", "Go", ...STREAM, "--allowedTools", "Bash"], { home, url: model.url });
  const requests = requestsOf(model.requests, TASK, ROLES);
  // It is there, and stays unread.
  expect(JSON.stringify(requests.at(-1))).toContain(".env");
  expect(requests[1].messages.at(-1).content[0]).toMatchObject({ is_error: true });
  expect(requests[2].messages.at(-1).content[0]).toMatchObject({ is_error: true });
  expect(stdout).not.toContain("open-sesame");
  expect([home.worktrees(), home.branches()]).toEqual([[home.project], ["main"]]);
});
