// What a subagent reads and what becomes of its calls, as for the session's own agent.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { resultOf, STREAM } from "../../front-door.ts";
import { commitAll } from "../../../conformance/kinds.ts";
import { agent, cast, requestsOf } from "../cast.ts";

const TASK = "Only the child does this";
const HOOK = "Only the hook looks at this";
const ROLES = ["main", TASK, HOOK];
const GENERAL = { subagent_type: "general-purpose" };
const RUN = ["-p", "Go", ...STREAM];

const call = (name: string, input: object): ScriptedReply => ({ calls: [{ name, input: input as never }] });
const script = (child: readonly ScriptedReply[], input: object = GENERAL) =>
  cast({ main: [{ calls: [agent(TASK, input)] }, { text: "Done" }], [TASK]: [...child, { text: "ok" }] });
const bash = (command: string) => ({ name: "Bash", input: { command } });
const lastOf = (body: any) => JSON.stringify(body.messages.at(-1).content);

test("the calls that a child was denied are in the result of the session", async () => {
  using home = temporaryHome();
  const file_path = home.write("secret.txt", "x");
  home.settings({ permissions: { deny: ["Read(./secret.txt)"] } });
  await using model = await startMockModel(
    script([call("Bash", { command: "node --eval 1" }), call("Read", { file_path })]),
  );
  const { permission_denials: denials } = resultOf(await runKeelson(RUN, { home, url: model.url }));
  expect(denials).toEqual([
    { tool_name: "Bash", tool_use_id: expect.any(String), tool_input: { command: "node --eval 1" } },
    { tool_name: "Read", tool_use_id: expect.any(String), tool_input: { file_path } },
  ]);
});

test("a file that a child touches brings the instructions of its folder, once for each agent", async () => {
  using home = temporaryHome();
  home.write("CLAUDE.md", "Rules of the project");
  home.write("sub/CLAUDE.md", "Rules of the folder");
  const [first, second] = [home.write("sub/a.txt", "a"), home.write("sub/b.txt", "b")];
  const read = (file_path: string) => call("Read", { file_path });
  await using model = await startMockModel(
    cast({
      main: [read(first), { calls: [agent(TASK, GENERAL)] }, { text: "Done" }],
      [TASK]: [read(first), read(second), { text: "ok" }],
    }),
  );
  await runKeelson(RUN, { home, url: model.url });
  const said = requestsOf(model.requests, TASK, ROLES);
  expect(said.slice(1).map((body) => lastOf(body).includes("Rules of the folder"))).toEqual([true, false]);
  expect(JSON.stringify(said[0].messages)).toContain("Rules of the project");
  const [, main] = requestsOf(model.requests, "main", ROLES);
  expect(lastOf(main)).toContain("Rules of the folder");
});

test("agents without instructions get none of folders either", async () => {
  using home = temporaryHome();
  home.write("sub/CLAUDE.md", "Rules of the folder");
  const file_path = home.write("sub/a.txt", "a");
  await using model = await startMockModel(script([call("Read", { file_path })], { subagent_type: "Explore" }));
  await runKeelson(RUN, { home, url: model.url });
  const [, second] = requestsOf(model.requests, TASK, ROLES);
  expect(lastOf(second)).not.toContain("Rules of the folder");
});

test("an agent that leaves instructions out still knows the date, also when it goes on", async () => {
  using home = temporaryHome();
  home.write("CLAUDE.md", "Rules of the project");
  const agents = { lean: { description: "Lean", prompt: "You are lean.", omitClaudeMd: true } };
  const again = (body: any) => {
    const [, to] = /agentId: (a[0-9a-f]{16})/.exec(JSON.stringify(body.messages))!;
    return call("SendMessage", { to, message: "Go on", summary: "Go on" });
  };
  const done = { text: "done" };
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK, { subagent_type: "lean" })] }, again, done, done],
      [TASK]: [done, { ...done, waitMs: 50 }],
    }),
  );
  await runKeelson([...RUN, "--agents", JSON.stringify(agents)], { home, url: model.url });
  const asked = requestsOf(model.requests, TASK, ROLES).map(({ messages }) => JSON.stringify(messages));
  expect(asked).toHaveLength(2);
  for (const messages of asked) {
    expect(messages).toContain("Today's date is");
    expect(messages).not.toContain("Rules of the project");
  }
});

test("a child in a worktree reads the instructions of its own copy", async () => {
  using home = temporaryHome({ git: true });
  home.write("sub/CLAUDE.md", "Rules as committed");
  home.write("sub/a.txt", "a");
  commitAll(home);
  home.write("sub/CLAUDE.md", "Rules as edited since");
  await using model = await startMockModel(
    script([call("Read", { file_path: "sub/a.txt" })], { ...GENERAL, isolation: "worktree" }),
  );
  await runKeelson(RUN, { home, url: model.url });
  const [, second] = requestsOf(model.requests, TASK, ROLES);
  expect(lastOf(second)).toContain("Rules as committed");
  expect(lastOf(second)).not.toContain("Rules as edited since");
});

test("in plan mode a child is told to change nothing", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(script([]));
  await runKeelson([...RUN, "--permission-mode", "plan"], { home, url: model.url });
  const [first] = requestsOf(model.requests, TASK, ROLES);
  expect(lastOf(first)).toContain("Plan mode is on. Change nothing");
});

test("a call of a child that a hook defers is reported, and tried again when the child continues", async () => {
  using home = temporaryHome();
  const said = JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "defer" } });
  const command = `test -e decided || echo '${said}'`;
  home.settings({
    permissions: { allow: ["Bash(touch *)"] },
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command }] }] },
  });
  await using model = await startMockModel(
    cast({
      main: [
        { calls: [agent(TASK, GENERAL)] },
        ({ messages }) => {
          home.write("decided", "");
          const [, to] = /agentId: (a[0-9a-f]{16})/.exec(JSON.stringify(messages.at(-1).content))!;
          return call("SendMessage", { to, message: "Try again", summary: "Try again" });
        },
        { text: "Waiting" },
        { text: "Done" },
      ],
      [TASK]: [call("Bash", { command: "touch ran" }), { text: "ok" }],
    }),
  );
  await runKeelson(RUN, { home, url: model.url });
  const [, second] = requestsOf(model.requests, "main", ROLES);
  expect(lastOf(second)).toContain("A hook deferred its Bash call, which has not run.");
  expect(home.read("ran")).toBe("");
});

test("an agent hook for a child's call works in the child's folder, under the child's rules", async () => {
  using home = temporaryHome({ git: true });
  home.write(
    ".claude/agents/careful.md",
    "---\nname: careful\ndescription: d\ndisallowedTools: Bash(id)\nisolation: worktree\n---\nCareful.",
  );
  commitAll(home);
  home.settings({
    permissions: { allow: ["Bash(id)", "Bash(touch *)"] },
    hooks: { PostToolUse: [{ matcher: "Bash", hooks: [{ type: "agent", prompt: HOOK }] }] },
  });
  const conclusion = call("StructuredOutput", { ok: true, reason: "fine" });
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK, { subagent_type: "careful" })] }, { text: "Done" }],
      [TASK]: [call("Bash", { command: "touch ran" }), { text: "ok" }],
      [HOOK]: [{ calls: [bash("pwd"), bash("id")] }, conclusion],
    }),
  );
  await runKeelson(RUN, { home, url: model.url });
  const [, asked] = requestsOf(model.requests, HOOK, ROLES);
  const [where, who] = asked.messages.at(-1).content;
  expect(where.content).toStartWith(join(home.project, ".claude", "worktrees"));
  expect(who).toMatchObject({ is_error: true });
});
