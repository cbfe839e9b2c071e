// Forks: the same request as the parent's up to the new message, and no forks of forks.

import { expect, test } from "bun:test";
import { runKeelson, startKeelson, startMockModel, temporaryHome, type Running } from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, STREAM, toolUseResults } from "../../front-door.ts";
import { fakeServer, withServers } from "../../servers/fake.ts";
import { agent, cast, requestsOf } from "../cast.ts";

const TASK = "Only the fork does this";
const ROLES = ["main", TASK];
const FORKS = { CLAUDE_CODE_FORK_SUBAGENT: "1" };

test("a fork's request is its parent's, byte for byte, up to the new message", async () => {
  using home = temporaryHome();
  const file = home.write("a.txt", "alpha\n");
  await using model = await startMockModel(
    cast({
      main: [
        { calls: [{ name: "Read", input: { file_path: file } }] },
        { text: "Thinking aloud", calls: [agent(TASK)] },
        { text: "Done" },
      ],
      [TASK]: [
        { calls: [{ name: "Edit", input: { file_path: file, old_string: "alpha", new_string: "beta" } }] },
        { text: "Forked answer" },
      ],
    }),
  );
  const flags = ["--permission-mode", "acceptEdits"];
  const run = await runKeelson(["-p", "Go", ...STREAM, ...flags], { home, url: model.url, env: FORKS });
  expect(run.stderr).toBe("");
  const [parent] = requestsOf(model.requests, "main", ROLES).slice(-2);
  const [fork] = requestsOf(model.requests, TASK, ROLES);
  const [reply, question] = addedIn(fork, parent);
  expect(reply.content.map(({ type }: any) => type)).toEqual(["text", "tool_use"]);
  expect(question.content.map(({ type }: any) => type)).toEqual(["tool_result", "text", "text"]);
  expect(question.content[1].text).toContain("<fork-boilerplate>");
  expect(question.content[2].text).toBe(TASK);
  expect(messagesOf(run, "system/task_started")).toMatchObject([{ prompt: TASK }]);
  // It has read what the parent has read.
  expect(home.read("a.txt")).toBe("beta\n");
  expect(toolUseResults(run).at(-1)).toMatchObject({ agentType: "fork", content: [{ text: "Forked answer" }] });
});

/** The two messages that the fork has more: everything else is the same text. */
function addedIn({ messages: after, ...same }: any, { messages: before, ...head }: any): readonly any[] {
  expect(JSON.stringify(same)).toBe(JSON.stringify(head));
  expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before));
  const added = after.slice(before.length);
  expect(added.map(({ role }: any) => role)).toEqual(["assistant", "user"]);
  return added;
}

test.each([["false"], ["true"]])("with thirty tools of MCP servers too, and tool search %s", async (search) => {
  using home = temporaryHome();
  const servers = {
    files: fakeServer(home, "files", { count: 20, instructions: "Look at files first" }),
    notes: fakeServer(home, "notes", { count: 10 }),
  };
  const tool = "mcp__notes__echo";
  const searched = { calls: [{ name: "ToolSearch", input: { query: `select:${tool}` } }] };
  await using model = await startMockModel(
    cast({
      main: [
        { text: "Hello" },
        ...(search === "true" ? [searched] : []),
        { text: "Thinking aloud", calls: [agent(TASK)] },
        { text: "Done" },
      ],
      [TASK]: [{ calls: [{ name: tool, input: { said: "by the fork" } }] }, { text: "Forked answer" }],
    }),
  );
  const env = { ...FORKS, ENABLE_TOOL_SEARCH: search };
  const args = ["-p", ...CHAT, ...withServers(servers), "--allowedTools", tool];
  await using program = startKeelson(args, { home, url: model.url, stdin: "open", env });
  program.send(prompt("Hello"));
  const first = await program.waitForLine(({ type }) => type === "result");
  await connected(program);
  program.send(prompt("Go"));
  await program.waitForLine(({ type }) => type === "result", { after: first });
  program.closeStdin();
  expect((await program.done).code).toBe(0);

  const [parent] = requestsOf(model.requests, "main", ROLES).slice(-2);
  const [fork, second] = requestsOf(model.requests, TASK, ROLES);
  const names = parent.tools.map(({ name }: { name: string }) => name);
  expect(names).toContain(tool);
  if (search === "false") expect(names.length).toBeGreaterThan(30);
  addedIn(fork, parent);
  expect(JSON.stringify(second.tools)).toBe(JSON.stringify(parent.tools));
  expect(JSON.stringify(second.messages.at(-1).content)).toContain("by the fork");
});

/** No server is on its way any more. */
async function connected(program: Running): Promise<void> {
  for (let at = 0, isPending = true; isPending; at++) {
    program.send(control(`s${at}`, { subtype: "mcp_status" }));
    const { json } = await program.waitForLine(({ response }) => response?.request_id === `s${at}`);
    isPending = json.response.response.mcpServers.some(({ status }: { status: string }) => status === "pending");
  }
}

test("a fork cannot start agents, and without the variable nothing forks", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK)] }, { text: "Done" }],
      [TASK]: [{ calls: [agent("deeper", { subagent_type: "general-purpose" })] }, { text: "Did it myself" }],
    }),
  );
  await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url, env: FORKS });
  const [, second] = requestsOf(model.requests, TASK, ROLES);
  expect(second.messages.at(-1).content[0]).toMatchObject({
    is_error: true,
    content: "A fork cannot start agents. Do the work yourself, with your tools.",
  });

  await using plain = await startMockModel(
    cast({ main: [{ calls: [agent(TASK)] }, { text: "Done" }], [TASK]: [{ text: "ok" }] }),
  );
  const run = await runKeelson(["-p", "Go", ...STREAM], { home, url: plain.url });
  expect(toolUseResults(run)[0]).toMatchObject({ agentType: "general-purpose" });
});

test.each([true, false])(
  "a fork that ended with its process is told of on a resume, unless a call waited for it (background: %p)",
  async (run_in_background) => {
    using home = temporaryHome();
    await using model = await startMockModel(
      cast({
        main: [{ calls: [agent(TASK, { run_in_background })] }, { text: "Started" }],
        [TASK]: [{ text: "x", hang: true }],
      }),
    );
    await using running = startKeelson(CHAT, { home, url: model.url, stdin: "open", env: FORKS });
    running.send(prompt("Go"));
    const { json: started } = await running.waitForLine(({ subtype }) => subtype === "task_started");
    if (run_in_background) await running.waitForLine(({ type }) => type === "result");
    await running.waitForLine(({ agent_id: id }) => id === started.task_id);
    running.kill("SIGKILL");
    await running.done;
    await using later = await startMockModel([{ text: "Hello again" }]);
    const run = await runKeelson(["-p", "Again", "--resume", started.session_id, ...STREAM], { home, url: later.url });
    const told = messagesOf(run, "system/task_notification");
    expect(told.map(({ task_id, status }) => [task_id, status])).toEqual(
      run_in_background ? [[started.task_id, "stopped"]] : [],
    );
    expect(JSON.stringify(later.requests[0]!.body.messages.at(-1)).includes("<task-id>")).toBe(run_in_background);
  },
);
