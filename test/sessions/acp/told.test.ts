// What an editor is told beside the conversation: titles, usage, commands, options, compaction and notices.

import { expect, test } from "bun:test";
import { startMockModel, temporaryHome } from "@keelson/testkit";
import { fakeServer } from "../servers/fake.ts";
import { saidIn, startEditor } from "./editor.ts";

const updateOf = (kind: string, holds: (update: any) => boolean) => (message: any) =>
  message.params?.update?.sessionUpdate === kind && holds(message.params.update);

test("the first prompt is the title until the session is given a name, in the editor and in the list", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Hello." }]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "Hello");
  expect(editor.updates(sessionId, "session_info_update")).toMatchObject([{ title: "Hello" }]);
  await editor.prompt(sessionId, "/rename My work");
  expect(editor.updates(sessionId, "session_info_update").at(-1)).toMatchObject({ title: "My work" });
  const { sessions } = (await editor.request("session/list", {})).result;
  expect(sessions).toMatchObject([{ sessionId, title: "My work" }]);
});

const said = (text: string) => ({ type: "text", text });
const attached = { type: "resource", resource: { uri: "file:///a.ts", text: "const a = 1;" } };
const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };

test.each<[string, readonly object[][], string | undefined]>([
  ["a long prompt", [[said("word ".repeat(60))]], `${"word ".repeat(40).trim()}…`],
  ["an attached text", [[said("See"), attached, said("there")]], "See there"],
  ["an attached text in front", [[attached, said("What is this?")]], "What is this?"],
  ["nothing but an attached text", [[attached], [said("What was that?")]], "What was that?"],
  ["several texts", [[said("This"), image, said("and that")]], "This"],
  ["a command, and then a prompt", [[said("/context")], [said("Fix it")], [said("And that")]], "Fix it"],
  ["nothing but emoji", [[said("\u{1f600}".repeat(150))]], `${"\u{1f600}".repeat(100)}…`],
])("the title is the same live, in the list and when the session is loaded: %s", async (_, prompts, expected) => {
  using home = temporaryHome();
  await using model = await startMockModel(() => ({ text: "Hello." }));
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  for (const prompt of prompts) await editor.request("session/prompt", { sessionId, prompt });
  const titles = () => editor.updates(sessionId, "session_info_update").map(({ title }) => title);
  const live = titles();
  await editor.request("session/close", { sessionId });
  const { sessions } = (await editor.request("session/list", {})).result;
  await editor.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
  expect([live, sessions.map(({ title }: any) => title), titles().slice(live.length)]).toEqual(
    [1, 2, 3].map(() => [expected]),
  );
});

test("usage and cost follow each turn, add up, and come again with a session that is loaded", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One." }, { text: "Two." }]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "One");
  await editor.prompt(sessionId, "Two");
  const told = editor.updates(sessionId, "usage_update");
  expect(told.map(({ used }) => used)).toEqual([120, 120]);
  expect(told[1].cost.amount).toBeCloseTo(2 * told[0].cost.amount);
  await editor.request("session/close", { sessionId });
  const before = told.length;
  await editor.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
  const [loaded] = editor.updates(sessionId, "usage_update").slice(before);
  expect(loaded).toMatchObject({ used: expect.any(Number), size: told[1].size, cost: told[1].cost });
});

test("commands are complete: built in, of the user, and prompts of servers, which have no spaces", async () => {
  using home = temporaryHome();
  home.write("~/.claude/commands/greet.md", "---\ndescription: Greet\nargument-hint: <name>\n---\nGreet $ARGUMENTS");
  const server = fakeServer(home, "my", { prompts: [{ name: "review it", says: "Review" }] });
  await using editor = await startEditor({ home });
  const { sessionId } = await editor.open({ mcpServers: [{ name: "my", ...server.entry, env: [] }] });
  const names = (update: any): string[] => update.availableCommands.map(({ name }: any) => name);
  await editor.until(
    updateOf("available_commands_update", (update) => names(update).some((name) => name.startsWith("mcp__my__"))),
  );
  const { availableCommands } = editor.updates(sessionId, "available_commands_update").at(-1);
  expect(availableCommands.find(({ name }: any) => name === "greet")).toEqual({
    name: "greet",
    description: expect.stringContaining("Greet"),
    input: { hint: "<name>" },
  });
  const all = names({ availableCommands });
  expect(all).toEqual(expect.arrayContaining(["compact", "context", "model", "usage"]));
  expect(all.filter((name) => /\s/.test(name))).toEqual([]);
});

test("an option that is set counts from the next request on, and the editor is told all of them", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One." }]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  const { configOptions } = (
    await editor.request("session/set_config_option", { sessionId, configId: "effort", value: "high" })
  ).result;
  expect(configOptions.map(({ id, currentValue }: any) => [id, currentValue])).toEqual([
    ["mode", "default"],
    ["model", "default"],
    ["effort", "high"],
  ]);
  await editor.prompt(sessionId, "One");
  expect(model.requests[0]!.body.output_config).toEqual({ effort: "high" });
});

test("a compaction and a request that is sent again are told where the editor shows such things, and only there", async () => {
  using home = temporaryHome();
  const script = [
    { text: "One." },
    { status: 529, headers: { "retry-after": "0" } },
    { text: "Two." },
    { text: "<summary>They counted.</summary>" },
  ];
  for (const shows of [true, false]) {
    await using model = await startMockModel(script);
    const capabilities = shows ? { session: { compaction: {}, notices: {} } } : {};
    await using editor = await startEditor({ home, url: model.url, capabilities });
    const { sessionId } = await editor.open();
    for (const text of ["One", "Two", "/compact"]) await editor.prompt(sessionId, text);
    // Once more with the summary.
    const states = editor.updates(sessionId, "compaction_update").map(({ status }) => status);
    expect(states).toEqual(shows ? ["in_progress", "completed", "completed"] : []);
    const notices = editor.updates(sessionId, "notice").map(({ title }) => title);
    expect(notices.some((title) => title.includes("sent again"))).toBe(shows);
    expect(saidIn(editor.updates(sessionId))).toStartWith("One.Two.");
  }
});

test("the output of a command that is in columns is shown as it is, live and when the session is loaded", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "/help");
  await editor.prompt(sessionId, "/context");
  const live = saidIn(editor.updates(sessionId));
  expect(live).toMatch(
    /^```\nCommands:\n {2}\/add-dir <path> {2,}Add a working directory\n[^`]+\n```\n## Context Usage\n/,
  );
  expect(live).toMatch(/^\| Category \| Tokens/m);
  expect(live.match(/```/g)).toHaveLength(2);
  const before = editor.updates(sessionId).length;
  await editor.request("session/close", { sessionId });
  await editor.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
  expect(saidIn(editor.updates(sessionId).slice(before))).toContain("```\nCommands:\n  /add-dir <path>");
});

test("what the session warns of reaches the editor, once", async () => {
  using home = temporaryHome();
  home.write("~/.claude/projects", "");
  await using model = await startMockModel([{ text: "Hello." }, { text: "Again." }]);
  await using editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "Hello");
  await editor.prompt(sessionId, "Hello again");
  const said = saidIn(editor.updates(sessionId));
  expect(said.match(/^The transcript cannot be written \(.+\); the session continues without it$/gm)).toHaveLength(1);
  expect(said).toContain("Hello.");
});

test("a text that is cut inside of a character is sent in lines that every parser takes, and a backslash is kept", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"] } });
  const faces = (before: string) => `${before}${"\u{1f600}".repeat(1_500)}`;
  home.write("even.txt", "\\ud83d is no character\n");
  const script = ["", "a"].flatMap((before) => [
    { calls: [{ name: "Bash", input: { command: `cat even.txt; echo ${faces(before)}` } }] },
    { text: "Done." },
  ]);
  await using model = await startMockModel(script);
  await using editor = await startEditor({ home, url: model.url });
  // Wherever the limit is, one of the two is cut inside of a character.
  for (const before of ["", "a"]) {
    const { sessionId } = await editor.open();
    await editor.prompt(sessionId, faces(before));
    await editor.request("session/prompt", { sessionId, prompt: [{ type: faces(before) }] });
  }
  const titles = editor.messages.flatMap(({ params }) => params?.update?.title ?? []);
  expect(titles.some((title) => title.endsWith("\u{1f600}\ufffd…"))).toBe(true);
  const lines = editor.program.lines.map(({ text }) => text);
  expect(lines.filter((line) => /(?<!\\)(?:\\\\)*\\ud[89a-f]/.test(line))).toEqual([]);
  expect(lines.some((line) => line.includes("\\\\ud83d is no character"))).toBe(true);
});
