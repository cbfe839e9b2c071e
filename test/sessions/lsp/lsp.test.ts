// Language servers through the front door: the LSP tool, and what the model hears about its edits.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome, type MockModel, type TemporaryHome } from "@keelson/testkit";
import { told } from "../front-door.ts";
import { isRunning } from "../processes.ts";
import { fakeLanguage, question } from "./fake.ts";

const textsOf = (model: MockModel) =>
  model.requests.slice(1).map((request) => told(request).map(({ content, text }: any) => content ?? text));
const toolNames = (model: MockModel) => model.requests[0]!.body.tools.map(({ name }: any) => name);

async function run(home: TemporaryHome, script: Parameters<typeof startMockModel>[0], ...args: readonly string[]) {
  await using model = await startMockModel(script);
  const ended = await runKeelson(["-p", "go", ...args], { home, url: model.url });
  return { ...ended, model, texts: textsOf(model), tools: toolNames(model) };
}

test("every operation of the LSP tool, with a server of the user's settings", async () => {
  using home = temporaryHome();
  const fake = fakeLanguage(home);
  home.settings({ lspServers: { fake: fake.entry } });
  home.write("src/a.fake", "def one\n  def two\n");
  home.write("src/b.fake", "one and one\n");
  const calls = [
    question("documentSymbol", "src/b.fake"),
    question("goToDefinition", "src/b.fake", 1, 2),
    question("documentSymbol", "src/a.fake"),
    question("goToDefinition", "src/b.fake", 1, 10),
    question("findReferences", "src/a.fake", 1, 5),
    question("hover", "src/a.fake", 2, 7),
    question("workspaceSymbol", "src/b.fake", 1, 1),
    question("goToImplementation", "src/b.fake", 1, 1),
    question("prepareCallHierarchy", "src/b.fake", 1, 1),
    question("incomingCalls", "src/b.fake", 1, 1),
    question("outgoingCalls", "src/b.fake", 1, 1),
  ];
  const { code, stderr, texts, tools } = await run(home, [...calls.map((call) => ({ calls: [call] })), { text: "ok" }]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(tools).toContain("LSP");
  expect(texts.map(([result]) => result)).toEqual([
    "No symbols found in src/b.fake",
    'No definitions found for "one" at src/b.fake:1:2',
    "Found 2 symbols in src/a.fake\n1:5 function one\n2:7 function two",
    "Found 1 definition\nsrc/a.fake:1:5: def one",
    "Found 3 references in 2 files\nsrc/b.fake:1:1: one and one\nsrc/b.fake:1:9: one and one\nsrc/a.fake:1:5: def one",
    `**two** in ${home.project}/src/a.fake`,
    "Found 1 symbol\nsrc/a.fake:1:5: function one",
    "Found 1 implementation\nsrc/a.fake:1:5: def one",
    "Found 1 function\nsrc/a.fake:1:5: function one",
    "Found 2 callers\nsrc/b.fake:1:1: function caller, calls it at 1:1\nsrc/b.fake:1:9: function caller, calls it at 1:9",
    "Found 1 called function\nsrc/a.fake:1:5: function called, called at 1:5",
  ]);
  expect(fake.pids().map(isRunning)).toEqual([false]);
  expect(
    fake
      .notes()
      .slice(-2)
      .map(({ method }) => method),
  ).toEqual(["shutdown", "exit"]);
});

test("without a server there is no LSP tool", async () => {
  using home = temporaryHome();
  expect((await run(home, [{ text: "ok" }])).tools).not.toContain("LSP");
});

test("after an edit, new errors and warnings come with a later result, and only new ones", async () => {
  using home = temporaryHome();
  const fake = fakeLanguage(home, { publishesTwice: true });
  home.write("plugin/.claude-plugin/plugin.json", { name: "p" });
  home.write("plugin/.lsp.json", { fake: fake.entry });
  home.write("a.fake", "BAD\ngood\n");
  const isTold = (body: any) => JSON.stringify(body.messages.at(-1)).includes("new-diagnostics");
  const { code, model } = await run(
    home,
    (body, number) => {
      if (number === 1) return { calls: [{ name: "Read", input: { file_path: "a.fake" } }] };
      const input = { file_path: "a.fake", old_string: "good", new_string: "x\nBAD\nODD" };
      if (number === 2) return { calls: [{ name: "Edit", input }] };
      if (isTold(body)) return { text: "ok" };
      return { calls: [{ name: "Bash", input: { command: "true" } }] };
    },
    "--plugin-dir",
    "plugin",
    "--allowedTools",
    "Edit,Bash(true)",
  );
  expect(code).toBe(0);
  expect(told(model.requests.at(-1)!).at(-1).text).toBe(
    "<system-reminder>\n<new-diagnostics>\nLanguage servers report new problems after your edits:\n" +
      "a.fake:3:1: error: BAD is not allowed [fake 7]\na.fake:4:1: warning: ODD is not allowed [fake 7]\n" +
      "</new-diagnostics>\n</system-reminder>",
  );
  const sync = fake.notes().flatMap(({ method }) => (/did(?:Open|Change$|Save)/.test(method) ? [method] : []));
  expect(sync).toEqual(["textDocument/didOpen", "textDocument/didChange", "textDocument/didSave"]);
});

test("a subagent hears of the problems that it caused, and the session does not", async () => {
  using home = temporaryHome();
  const fake = fakeLanguage(home);
  home.settings({ lspServers: { fake: fake.entry } });
  const TASK = "Break it quietly";
  const problems = (body: any) => JSON.stringify(body.messages.at(-1)).includes("BAD is not allowed");
  const wait = { calls: [{ name: "Bash", input: { command: "sleep 0.05" } }] };
  let heard = 0;
  await using model = await startMockModel((body: any) => {
    const isAgent = JSON.stringify(body.messages[0]).includes(TASK);
    const turns = body.messages.filter(({ role }: any) => role === "assistant").length;
    if (!isAgent) {
      if (problems(body)) heard += 100;
      const agent = { name: "Agent", input: { description: "A task", prompt: TASK, run_in_background: false } };
      return turns === 0 ? { calls: [agent] } : { text: "ok" };
    }
    if (turns === 0) return { calls: [{ name: "Write", input: { file_path: "new.fake", content: "BAD\n" } }] };
    if (!problems(body)) return wait;
    heard++;
    return { text: "I broke it" };
  });
  const { code } = await runKeelson(["-p", "go", "--allowedTools", "Write,Bash(sleep *)"], { home, url: model.url });
  expect({ code, heard }).toEqual({ code: 0, heard: 1 });
});

test("/status and doctor show the servers", async () => {
  using home = temporaryHome();
  const fake = fakeLanguage(home);
  home.settings({ lspServers: { fake: fake.entry, gone: { ...fake.entry, command: "no-such-server" }, bad: {} } });
  const status = await runKeelson(["-p", "/status"], { home });
  expect(status.stdout).toContain("Language server fake: not started\n");
  const { stdout } = await runKeelson(["doctor"], { home });
  expect(stdout).toContain("fake (.fake), gone (.fake)");
  expect(stdout).toContain('gone: program not found: "no-such-server"; install it');
  expect(stdout).toContain('bad: It needs a "command"');
});
