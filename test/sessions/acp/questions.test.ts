// What an editor is asked: permissions, plans, the model's own questions, and who answers first.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { startMockModel, temporaryHome } from "@keelson/testkit";
import { fakeServer } from "../servers/fake.ts";
import { saidIn, startEditor } from "./editor.ts";

const selected = (optionId: string) => ({ outcome: { outcome: "selected", optionId } });
const named = ({ params }: any, name: RegExp) => params.options.find((option: any) => name.test(option.name)).optionId;
const bash = (command: string) => ({ calls: [{ name: "Bash", input: { command } }] });

test("each thing that can be allowed for longer says what, and how long; chosen, it is not asked again", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch one"), { text: "1" }, bash("touch one"), { text: "2" }]);
  const asked: any[] = [];
  await using editor = await startEditor({
    home,
    url: model.url,
    answer(request) {
      asked.push(request);
      return selected(named(request, /Bash\(touch/));
    },
  });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "Touch");
  await editor.prompt(sessionId, "Again");
  expect(asked.map(({ params }) => params.options.map(({ name, kind }: any) => `${kind}: ${name}`))).toEqual([
    [
      "allow_once: Yes",
      "allow_always: Yes, and allow Bash(touch one) from now on (saved in .claude/settings.local.json)",
      "allow_always: Yes, and allow all edits until this session ends (nothing is saved)",
      "reject_once: No",
      "reject_once: No, and stop",
    ],
  ]);
  const [{ params }] = asked;
  expect(params.toolCall).toMatchObject({ kind: "execute", rawInput: { command: "touch one" }, status: "pending" });
  expect(JSON.parse(home.read(".claude/settings.local.json")).permissions.allow).toEqual(["Bash(touch one)"]);
});

test("no, and stop ends the prompt as cancelled, and the next one works", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([bash("touch one"), { text: "Next." }]);
  await using editor = await startEditor({
    home,
    url: model.url,
    answer: (request) => selected(named(request, /and stop/)),
  });
  const { sessionId } = await editor.open();
  expect((await editor.prompt(sessionId, "Touch")).result).toEqual({ stopReason: "cancelled" });
  expect(editor.updates(sessionId).findLast(({ toolCallId }) => toolCallId).status).toBe("failed");
  expect((await editor.prompt(sessionId, "Go on")).result).toEqual({ stopReason: "end_turn" });
});

test("a plan is shown whole; keep planning goes on planning, and approving it sets the mode", async () => {
  using home = temporaryHome();
  const plan = { calls: [{ name: "ExitPlanMode", input: { plan: "# The plan\n\n1. Write" } }] };
  const write = { calls: [{ name: "Write", input: { file_path: join(home.project, "a.txt"), content: "x" } }] };
  await using model = await startMockModel([plan, { text: "More." }, plan, write, { text: "Done." }]);
  const answers = [/keep planning/, /accept edits/];
  const asked: any[] = [];
  await using editor = await startEditor({
    home,
    url: model.url,
    answer: (request) => selected(named(request, answers[asked.push(request) - 1]!)),
  });
  const { sessionId } = await editor.open();
  await editor.request("session/set_mode", { sessionId, modeId: "plan" });
  expect((await editor.prompt(sessionId, "Plan it")).result).toEqual({ stopReason: "end_turn" });
  expect(JSON.stringify(asked[0].params.toolCall.content)).toContain("# The plan");
  const modes = () => editor.updates(sessionId, "current_mode_update").map(({ currentModeId }) => currentModeId);
  expect(modes().filter((mode) => mode !== "plan")).toEqual([]);
  expect((await editor.prompt(sessionId, "Again")).result).toEqual({ stopReason: "end_turn" });
  expect(modes().at(-1)).toBe("acceptEdits");
  await editor.until(
    ({ params }) =>
      params?.update?.sessionUpdate === "config_option_update" &&
      params.update.configOptions.some(({ id, currentValue }: any) => id === "mode" && currentValue === "acceptEdits"),
  );
  expect(asked.length).toBe(2);
  expect(existsSync(join(home.project, "a.txt"))).toBe(true);
});

test("a narrower mode holds for the next call of the same prompt", async () => {
  using home = temporaryHome();
  const write = (name: string) => ({
    calls: [{ name: "Write", input: { file_path: join(home.project, name), content: "x" } }],
  });
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  await using model = await startMockModel([
    write("first.txt"),
    async () => {
      reached.resolve();
      await gate.promise;
      return write("second.txt");
    },
    { text: "Done." },
  ]);
  const asked: any[] = [];
  await using editor = await startEditor({
    home,
    url: model.url,
    answer: (request) => selected(named(request, asked.push(request) > 0 ? /^No$/ : /never/)),
  });
  const { sessionId } = await editor.open();
  await editor.request("session/set_config_option", { sessionId, configId: "mode", value: "acceptEdits" });
  const prompt = editor.prompt(sessionId, "Write both");
  await reached.promise;
  await editor.request("session/set_mode", { sessionId, modeId: "default" });
  gate.resolve();
  await prompt;
  expect([asked.length, existsSync(join(home.project, "first.txt"))]).toEqual([1, true]);
  expect(existsSync(join(home.project, "second.txt"))).toBe(false);
});

const QUESTIONS = {
  questions: [
    {
      question: "Which color?",
      header: "Color",
      multiSelect: false,
      options: [
        { label: "Red", description: "like a rose" },
        { label: "Blue", description: "like the sea" },
      ],
    },
    {
      question: "Which sizes?",
      header: "Sizes",
      multiSelect: true,
      options: [
        { label: "S", description: "small" },
        { label: "M", description: "medium" },
        { label: "L", description: "large" },
      ],
    },
  ],
};

test.each([
  [
    "a form",
    { elicitation: { form: {} } },
    () => ({ action: "accept", content: { question_0: "Blue", question_1: ["S", "L"], other_1: "XL" } }),
    '"Which color?"="Blue"',
    '"Which sizes?"="S, L, XL"',
  ],
  [
    "choices, one after the other",
    {},
    (request: any, at: number) => selected(named(request, [/Blue/, /^S$/, /^L$/, /Done/][at]!)),
    '"Which color?"="Blue"',
    '"Which sizes?"="S, L"',
  ],
  [
    "a form that is declined",
    { elicitation: { form: {} } },
    () => ({ action: "decline" }),
    "did not answer",
    "Do not assume",
  ],
  [
    "a form with an answer that was not offered",
    { elicitation: { form: {} } },
    () => ({ action: "accept", content: { question_0: "Green" } }),
    "did not answer",
    "Do not assume",
  ],
  ["an error", {}, () => new Error("No window"), "did not answer", "Do not assume"],
] as const)("questions of the model as %s", async (_, capabilities, reply, one, other) => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "AskUserQuestion", input: QUESTIONS }] },
    { text: "Thanks." },
  ]);
  let asked = 0;
  await using editor = await startEditor({
    home,
    url: model.url,
    capabilities,
    answer: (request) => reply(request, asked++),
  });
  const { sessionId } = await editor.open();
  expect((await editor.prompt(sessionId, "Ask me")).result).toEqual({ stopReason: "end_turn" });
  const heard = JSON.stringify(model.requests[1]!.body.messages.at(-1)).replaceAll('\\"', '"');
  for (const text of [one, other]) expect(heard).toContain(text);
  expect(saidIn(editor.updates(sessionId))).toBe("Thanks.");
});

test("the first of two editors with one session that answers has answered for both", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Here." }, bash("touch one"), { text: "Done." }]);
  await using one = await startEditor({ home, url: model.url });
  const { sessionId } = await one.open();
  await one.prompt(sessionId, "Begin");
  await using other = await startEditor({ home, url: model.url });
  expect((await other.request("session/load", { sessionId, cwd: home.project, mcpServers: [] })).error).toBeUndefined();
  const prompt = one.prompt(sessionId, "Touch");
  const isQuestion = ({ method }: any) => method === "session/request_permission";
  const [first, second] = await Promise.all([one.until(isQuestion), other.until(isQuestion)]);
  other.program.send({ jsonrpc: "2.0", id: second.id, result: selected("allow") });
  expect(await one.until(({ method }) => method === "$/cancel_request")).toMatchObject({
    params: { requestId: first.id },
  });
  // Too late, and twice.
  for (const editor of [one, other])
    editor.program.send({
      jsonrpc: "2.0",
      id: (editor === one ? first : second).id,
      result: selected("reject_and_stop"),
    });
  expect((await prompt).result).toEqual({ stopReason: "end_turn" });
  expect(existsSync(join(home.project, "one"))).toBe(true);
  await other.until(({ params }) => params?.update?.content?.text === "Done.");
  expect(saidIn(other.updates(sessionId))).toContain("Done.");
});

test("an editor that sent its user to a page of a server is told when the server is done with it", async () => {
  using home = temporaryHome();
  home.settings({ permissions: { allow: ["mcp__my"] } });
  await using model = await startMockModel([{ calls: [{ name: "mcp__my__visit", input: {} }] }, { text: "Done." }]);
  const server = fakeServer(home, "my", { tools: ["visit"] });
  await using editor = await startEditor({
    home,
    url: model.url,
    capabilities: { elicitation: { url: {} } },
    answer: () => ({ action: "accept" }),
  });
  const { sessionId } = await editor.open({ mcpServers: [{ name: "my", ...server.entry, env: [] }] });
  await editor.prompt(sessionId, "Sign in");
  const told = await editor.until(({ method }) => method === "elicitation/complete");
  const asked = editor.messages.find(({ method }) => method === "elicitation/create");
  expect(told.params).toEqual({ elicitationId: asked.params.elicitationId });
});
