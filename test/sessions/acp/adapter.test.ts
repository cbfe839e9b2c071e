// The official adapter for editors, with our program as the one that it starts.

import { expect, test as anyTest } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chainProblems, readTranscript, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { besideTitles, noAdapter, startAdapter } from "./adapter.ts";
import { saidIn } from "./editor.ts";

const test = testUnless(noAdapter, anyTest);

const chosen = (kind: string) => (request: any) => {
  const { optionId } = request.params.options.find((option: any) => option.kind === kind);
  return { outcome: { outcome: "selected", optionId } };
};

test("a turn reads, edits and runs a command, asks twice, and is listed and loaded again", async () => {
  using home = temporaryHome();
  const file = home.write("story.txt", "Once upon a time.\n");
  await using model = await startMockModel(
    besideTitles([
      { calls: [{ name: "Read", input: { file_path: file } }] },
      { calls: [{ name: "Edit", input: { file_path: file, old_string: "Once", new_string: "Twice" } }] },
      { calls: [{ name: "Bash", input: { command: `touch ${join(home.project, "done")}`, description: "Mark it" } }] },
      { text: ["Chan", "ged."] },
    ]),
  );
  const asked: any[] = [];
  await using editor = await startAdapter({
    home,
    url: model.url,
    answer: (request) => {
      asked.push(request.params.toolCall.title);
      return chosen("allow_once")(request);
    },
  });
  const { sessionId } = await editor.open();
  expect((await editor.prompt(sessionId, "Change the story")).result.stopReason).toBe("end_turn");
  expect(readFileSync(file, "utf8")).toBe("Twice upon a time.\n");
  expect(asked).toHaveLength(2);
  expect(saidIn(editor.updates(sessionId))).toBe("Changed.");
  const statuses = (updates: readonly any[]) =>
    updates.filter(({ status }) => status === "completed").map(({ _meta }) => _meta.claudeCode.toolName);
  expect(statuses(editor.updates(sessionId))).toEqual(["Read", "Edit", "Bash"]);

  const { sessions } = (await editor.request("session/list", { cwd: home.project })).result;
  expect(sessions).toMatchObject([{ sessionId, cwd: home.project }]);
  await using again = await startAdapter({ home, url: model.url });
  await again.request("session/load", { sessionId, cwd: home.project, mcpServers: [] });
  expect(saidIn(again.updates(sessionId))).toBe("Changed.");
  expect(statuses(again.updates(sessionId))).toEqual(["Read", "Edit", "Bash"]);
});

test("going on planning, and a stop, end the prompt and are no error; the next one runs", async () => {
  using home = temporaryHome();
  const planned = { name: "ExitPlanMode", input: { plan: "# Plan\n\nDo it." } };
  const gate = Promise.withResolvers<void>();
  await using model = await startMockModel(
    besideTitles([
      { text: "Here it is.", calls: [planned] },
      { text: ["One ", "two"], hold: gate.promise, holdAfter: "first_delta" },
      { text: "Still here." },
    ]),
  );
  await using editor = await startAdapter({ home, url: model.url, answer: chosen("reject_once") });
  const { sessionId } = await editor.open();
  await editor.request("session/set_mode", { sessionId, modeId: "plan" });
  expect((await editor.prompt(sessionId, "Plan it")).result.stopReason).toBe("cancelled");
  const stopped = editor.prompt(sessionId, "Count");
  await editor.until(() => saidIn(editor.updates(sessionId)).includes("One"));
  editor.notify("session/cancel", { sessionId });
  expect((await stopped).result.stopReason).toBe("cancelled");
  expect((await editor.prompt(sessionId, "And now?")).result.stopReason).toBe("end_turn");
  expect(saidIn(editor.updates(sessionId))).toEndWith("Still here.");
  gate.resolve();
  expect(chainProblems(readTranscript(home))).toEqual([]);
});

test("a stop ends the prompts before it, running and waiting, and none after it", async () => {
  using home = temporaryHome();
  const gate = Promise.withResolvers<void>();
  await using model = await startMockModel(besideTitles([{ text: "One.", hold: gate.promise }, { text: "Three." }]));
  await using editor = await startAdapter({ home, url: model.url });
  const { sessionId } = await editor.open();
  const [first, second] = [editor.prompt(sessionId, "Prompt 1"), editor.prompt(sessionId, "Prompt 2")];
  await model.waitForRequest(1);
  editor.notify("session/cancel", { sessionId });
  expect((await first).result.stopReason).toBe("cancelled");
  expect((await second).result.stopReason).toBe("cancelled");
  expect((await editor.prompt(sessionId, "Prompt 3")).result.stopReason).toBe("end_turn");
  expect(saidIn(editor.updates(sessionId))).toBe("Three.");
  gate.resolve();
});

test("a call that the user refuses, or does not decide about, does not run, and the model goes on", async () => {
  using home = temporaryHome();
  const write = { calls: [{ name: "Write", input: { file_path: join(home.project, "file"), content: "x" } }] };
  await using model = await startMockModel(besideTitles([write, { text: "I did not." }, write, { text: "Next." }]));
  const answers = [chosen("reject_once"), () => ({ outcome: { outcome: "cancelled" } })];
  await using editor = await startAdapter({ home, url: model.url, answer: (request) => answers.shift()!(request) });
  const { sessionId } = await editor.open();
  for (const text of ["I did not.", "Next."]) {
    const before = editor.updates(sessionId).length;
    expect((await editor.prompt(sessionId, "Write")).result.stopReason).toBe("end_turn");
    expect(saidIn(editor.updates(sessionId).slice(before))).toBe(text);
  }
  expect(existsSync(join(home.project, "file"))).toBe(false);
});

test("without a key, and with one that is rejected, a prompt says that one has to sign in", async () => {
  using home = temporaryHome();
  await using model = await startMockModel(besideTitles([{ status: 401, message: "invalid x-api-key" }]));
  for (const env of [{}, { ANTHROPIC_BASE_URL: model.url }]) {
    await using editor = await startAdapter({ home, env });
    const { sessionId } = await editor.open();
    expect((await editor.prompt(sessionId, "Hello")).error).toMatchObject({ code: -32000 });
    expect(saidIn(editor.updates(sessionId))).toBe("");
  }
  expect(model.requests).toHaveLength(0);
  await using editor = await startAdapter({ home, url: model.url });
  const { sessionId } = await editor.open();
  expect((await editor.prompt(sessionId, "Hello")).error).toMatchObject({ code: -32000 });
});
