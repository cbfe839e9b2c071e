// Agents that have all tools get the rare ones on demand, as the session does; those that name theirs get them at once.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { STREAM } from "../../front-door.ts";
import { agent, cast, requestsOf } from "../cast.ts";

const TASK = "Only the agent does this";
const ROLES = ["main", TASK];
const namesOf = ({ tools }: any): string[] => tools.map(({ name }: any) => name);
const call = (name: string, input: object = {}) => ({ calls: [{ name, input: input as any }] });

async function delegate(
  type: string,
  lines: readonly any[],
  {
    env = {},
    args = [],
    definition,
  }: { env?: Record<string, string>; args?: readonly string[]; definition?: string } = {},
) {
  using home = temporaryHome();
  if (definition !== undefined) home.write(`.claude/agents/${type}.md`, definition);
  const main = [{ calls: [agent(TASK, { subagent_type: type })] }, { text: "Done" }];
  await using model = await startMockModel(cast({ main, [TASK]: [...lines, { text: "Answer" }] }));
  const run = await runKeelson(["-p", "Go", ...STREAM, ...args], { home, url: model.url, env });
  expect(run.stderr).toBe("");
  return {
    session: requestsOf(model.requests, "main", ROLES)[0],
    requests: requestsOf(model.requests, TASK, ROLES),
  };
}

test.each(["general-purpose", "claude"])("%s finds a rare tool with ToolSearch, and it comes last", async (type) => {
  const lines = [call("ToolSearch", { query: "select:NotebookEdit" }), call("CronList")];
  const { session, requests } = await delegate(type, lines);
  const [first, second, third] = requests;
  const names = namesOf(first);
  expect(namesOf(session)).toEqual(expect.arrayContaining(names));
  expect(names).toContain("ToolSearch");
  expect(names.filter((name) => /^(?:Web|Cron|Notebook|Monitor|SendMessage)/.test(name))).toEqual([]);
  const search = first.tools.find(({ name }: any) => name === "ToolSearch");
  expect(search.description).toContain("NotebookEdit");
  expect(JSON.stringify(first.tools).length).toBeLessThan(16 * 1024);
  expect(JSON.stringify(second.messages.at(-1))).toContain("Loaded; call them from now on:\\nNotebookEdit");
  expect(namesOf(second)).toEqual([...names, "NotebookEdit"]);
  // A tool that it has not searched for can be called by its name.
  expect(third.messages.at(-1).content[0]).toMatchObject({ type: "tool_result", is_error: false });
});

test("what a call of a deferred tool lacks is told with its schema", async () => {
  const { requests } = await delegate("general-purpose", [call("NotebookEdit")]);
  expect(JSON.stringify(requests[1].messages.at(-1))).toMatch(/schema of NotebookEdit was not sent.*notebook_path/);
});

test.each([
  ["that names its tools", "tools: Read, NotebookEdit", {}, ["NotebookEdit", "Read"]],
  ["that may not search", "disallowedTools: ToolSearch", {}, ["NotebookEdit", "WebFetch"]],
  ["of a session without a search", "model: inherit", { env: { ENABLE_TOOL_SEARCH: "false" } }, ["NotebookEdit"]],
  ["of a session that denies it", "model: inherit", { args: ["--disallowedTools", "ToolSearch"] }, ["NotebookEdit"]],
  ["of a session that allows a tool", "model: inherit", { args: ["--allowedTools", "WebFetch"] }, ["WebFetch"]],
])("an agent %s gets its tools at once", async (_, field, options, names) => {
  const definition = `---\nname: own\ndescription: Own\n${field}\n---\nWork`;
  const { requests } = await delegate("own", [], { ...options, definition });
  expect(namesOf(requests[0])).toEqual(expect.arrayContaining(names));
});

test("a session that runs as an agent which may not search has all tools at once", async () => {
  using home = temporaryHome();
  home.write(".claude/agents/own.md", "---\nname: own\ndescription: Own\ndisallowedTools: ToolSearch\n---\nWork");
  await using model = await startMockModel([{ text: "done" }]);
  await runKeelson(["-p", "go", "--agent", "own"], { home, url: model.url });
  const names = namesOf(model.requests[0]!.body);
  expect([names.includes("ToolSearch"), names.includes("WebFetch")]).toEqual([false, true]);
});
