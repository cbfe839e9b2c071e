// Auto mode: a classifier answers what no rule decided; it never gets past a rule, and its refusals are counted and told.

import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startMockModel, temporaryHome, type ScriptedCall } from "@keelson/testkit";
import { messagesOf, resultOf, spoken, STREAM } from "../front-door.ts";

const touch = (name: string): ScriptedCall => ({ name: "Bash", input: { command: `touch ${name}` } });
const verdict = (word: string) => ({ text: JSON.stringify({ verdict: word, reason: `it is ${word}` }) });
const AUTO = ["-p", "go", "--permission-mode", "auto", ...STREAM];

test("what no rule decided is put to the classifier, and runs when it says yes", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [touch("a")] }, verdict("allow"), { text: "done" }]);
  const ended = await runKeelson(AUTO, { home, url: model.url });

  expect(existsSync(join(home.project, "a"))).toBe(true);
  const asked = model.requests[1]!.body;
  expect(asked.tools ?? []).toEqual([]);
  expect(JSON.parse(asked.messages[0].content[0].text)).toMatchObject({
    before: [{ user: "go" }, { call: "Bash" }],
    call: { tool: "Bash", input: '{"command":"touch a"}' },
  });
  expect(resultOf(ended)).toMatchObject({ subtype: "success", permission_denials: [] });
});

test("a no is a no, told to the model and to whoever watches", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ calls: [touch("a")] }, verdict("deny"), { text: "done" }]);
  const ended = await runKeelson(AUTO, { home, url: model.url });
  expect(existsSync(join(home.project, "a"))).toBe(false);
  expect(spoken(model.requests[2]!).at(-1).content).toMatchObject([
    { is_error: true, content: expect.stringContaining("auto mode classifier. Reason: it is deny") },
  ]);
  expect(messagesOf(ended, "system/informational")).toMatchObject([{ content: expect.stringContaining("1 total") }]);
  expect(resultOf(ended).permission_denials).toHaveLength(1);
});

test("no answer, or a strange one, is no permission", async () => {
  using home = temporaryHome();
  const strange = [{ text: "sure, go ahead" }, { status: 400, message: "no" }, { text: '{"verdict":"allow"}' }];
  await using model = await startMockModel([
    { calls: [touch("a"), touch("b"), touch("c")] },
    ...strange,
    { text: "done" },
  ]);
  await runKeelson(AUTO, { home, url: model.url });
  expect(["a", "b", "c"].filter((name) => existsSync(join(home.project, name)))).toEqual([]);
});

test("rules come first, and what only looks is not worth a question", async () => {
  using home = temporaryHome();
  const calls = [touch("a"), { name: "Bash", input: { command: "echo hi" } }, touch("b")];
  await using model = await startMockModel([{ calls }, { text: "done" }]);
  const rules = ["--disallowedTools", "Bash(touch a)", "--allowedTools", "Bash(touch b)"];
  await runKeelson([...AUTO, ...rules], { home, url: model.url });
  expect([existsSync(join(home.project, "a")), existsSync(join(home.project, "b"))]).toEqual([false, true]);
  expect(model.requests).toHaveLength(2);
});

test("after three refusals in a row the classifier is not asked any more", async () => {
  using home = temporaryHome();
  const calls = ["a", "b", "c", "d"].map(touch);
  await using model = await startMockModel([
    { calls },
    verdict("deny"),
    verdict("deny"),
    verdict("deny"),
    { text: "done" },
  ]);
  const ended = await runKeelson(AUTO, { home, url: model.url });
  expect(model.requests).toHaveLength(5);
  expect(resultOf(ended).permission_denials).toHaveLength(4);
});

test("classifyAllShell also asks about commands that a rule allows", async () => {
  using home = temporaryHome();
  home.settings({ autoMode: { classifyAllShell: true }, permissions: { allow: ["Bash(touch a)"] } });
  await using model = await startMockModel([{ calls: [touch("a")] }, verdict("deny"), { text: "done" }]);
  await runKeelson(AUTO, { home, url: model.url });
  expect([existsSync(join(home.project, "a")), model.requests.length]).toEqual([false, 3]);
});
