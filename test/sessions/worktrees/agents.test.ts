// Subagents in worktrees: the rules of the project hold in their copies of its files.

import { expect, test } from "bun:test";
import { join } from "node:path";
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

test.each(["an agent", "the session"] as const)(
  "what is denied in the worktree that a session was opened in is denied in its copies: of %s",
  async (whose) => {
    const rules = { permissions: { deny: ["Read(/key.txt)"] } };
    using home = repositoryHome({ "key.txt": "open-sesame\n", ".claude/settings.json": JSON.stringify(rules) });
    const other = join(home.root, "other");
    home.git("worktree", "add", "-q", other);
    const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });
    const look = [
      { calls: [{ name: "Read", input: { file_path: "key.txt" } }] },
      bash("cat key.txt"),
      bash("k=key; cat $k.txt; pwd; ls"),
      { text: "Looked" },
    ];
    const enter = { calls: [{ name: "EnterWorktree", input: { name: "copy" } }] };
    await using model = await startMockModel(
      cast(
        whose === "an agent"
          ? { main: [{ calls: [agent(TASK, { isolation: "worktree" })] }, { text: "Done" }], [TASK]: look }
          : { main: [enter, ...look], [TASK]: [] },
      ),
    );
    const args = ["-p", "Go", ...STREAM, "--allowedTools", "Bash"];
    const { stdout } = await runKeelson(args, { home, url: model.url, cwd: other });
    // It is there, and stays unread.
    expect(stdout).toMatch(/worktrees\/(?:agent-a[0-9a-f]+|copy)\\na\.txt\\nkey\.txt/);
    expect(stdout).not.toContain("open-sesame");
  },
);

test("an agent that is started from a folder of the checkout is told where its paths lead", async () => {
  using home = repositoryHome({ "pkg/in/b.txt": "b\n" });
  const cwd = join(home.project, "pkg/in");
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK, { isolation: "worktree" })] }, { text: "Done" }],
      [TASK]: [{ text: "Looked" }],
    }),
  );
  await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url, cwd });
  const [first] = requestsOf(model.requests, TASK, ROLES);
  const { text } = first.messages[0].content.find((block: any) => block.text.includes("isolated worktree"));
  const [, copy] = /isolated worktree: (\S+) on/.exec(text)!;
  expect(text).toContain(`Translate them: ${home.project}/x is ${copy}/x here.`);
  expect(text).toContain(`The agent that started you works in ${cwd}, which is ${copy}/pkg/in here.`);
});
