// Prompts that go into the one that runs, at its next safe boundary.

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@keelson/protocol";
import {
  startMockModel,
  temporaryHome,
  type ScriptedReply,
  type ScriptStep,
  type TemporaryHome,
} from "@keelson/testkit";
import { saidIn, startEditor, type Editor } from "./editor.ts";

/** A command that runs until the test lets it go. */
const waits: ScriptedReply = {
  calls: [{ name: "Bash", input: { command: "while [ ! -e go ]; do sleep 0.02; done" } }],
};
const letGo = (home: TemporaryHome) => writeFileSync(join(home.project, "go"), "");

const text = (said: string) => [{ type: "text", text: said }];
const steering = (value: unknown = true) => ({ _meta: { steering: value } });
const isRunning = ({ params }: any) => params?.update?.status === "in_progress";

async function world(...replies: readonly ScriptStep<JsonObject>[]) {
  const home = temporaryHome();
  home.settings({ permissions: { allow: ["Bash"] } });
  const model = await startMockModel(replies);
  const editor = await startEditor({ home, url: model.url });
  const { sessionId } = await editor.open();
  const stack = new AsyncDisposableStack();
  stack.use(home);
  stack.use(model);
  stack.use(editor);
  const prompt = (said: string, more: object = {}) =>
    editor.request("session/prompt", { sessionId, prompt: text(said), ...more });
  const steer = (said: string, more: object = {}) =>
    editor.request("_session/steering", { sessionId, prompt: text(said), ...more });
  return { home, model, editor, sessionId, prompt, steer, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Ends when the session has everything that was sent before. */
const settle = (editor: Editor, sessionId: string) =>
  editor.request("session/set_mode", { sessionId, modeId: "default" });

/** The texts of the last user message of each request that a prompt led to. */
const userTexts = (model: { readonly requests: readonly any[] }): string[] =>
  model.requests.map(({ body }) => JSON.stringify(body.messages.filter(({ role }: any) => role === "user")));

test("a prompt that steers goes into the run before the model is asked again; others wait for their turn", async () => {
  await using w = await world(waits, { text: "Both." }, { text: "Later." });
  const first = w.prompt("Begin");
  await w.editor.until(isRunning);
  const queued = w.prompt("Wait for it");
  const steered = w.prompt("Turn left", steering());
  await settle(w.editor, w.sessionId);
  letGo(w.home);
  const replies = await Promise.all([first, steered, queued]);
  expect(replies.map(({ result }) => result)).toEqual([1, 2, 3].map(() => ({ stopReason: "end_turn" })));
  const [, second, third] = userTexts(w.model);
  expect(second).toContain("Turn left");
  expect(second).not.toContain("Wait for it");
  expect(third).toContain("Wait for it");
  expect(saidIn(w.editor.updates(w.sessionId))).toBe("Both.Later.");
  // It was typed in this editor, which shows it already.
  expect(w.editor.updates(w.sessionId, "user_message_chunk")).toEqual([]);
});

test("without a boundary left, what steers runs next, before what waits", async () => {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  await using w = await world(
    async () => {
      reached.resolve();
      await gate.promise;
      return { text: "One." };
    },
    { text: "Steered." },
    { text: "Queued." },
  );
  const first = w.prompt("Begin");
  await reached.promise;
  const queued = w.prompt("Wait for it");
  const steered = w.prompt("Turn left", steering({}));
  await settle(w.editor, w.sessionId);
  gate.resolve();
  const order: string[] = [];
  const note = (name: string) => () => void order.push(name);
  await Promise.all([first.then(note("first")), steered.then(note("steered")), queued.then(note("queued"))]);
  expect(order).toEqual(["first", "steered", "queued"]);
  expect(saidIn(w.editor.updates(w.sessionId))).toBe("One.Steered.Queued.");
});

test("_session/steering is answered at once, and the prompt that runs answers for both", async () => {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  await using w = await world(
    async () => {
      reached.resolve();
      await gate.promise;
      return { text: "One." };
    },
    { text: "Steered." },
    { text: "New." },
  );
  const first = w.prompt("Begin");
  await reached.promise;
  expect((await w.steer("Turn left")).result).toEqual({ outcome: "injected" });
  gate.resolve();
  await first;
  expect(saidIn(w.editor.updates(w.sessionId))).toBe("One.Steered.");
  const idle = await w.steer("Anything", steering({ idleBehavior: "promptRequired" }));
  expect(idle.result).toEqual({ outcome: "promptRequired", reason: "noRunningTurn" });
  expect((await w.steer("Go on")).result).toEqual({ outcome: "startedNewTurn" });
  await w.editor.until(({ params }) => params?.update?.content?.text === "New.");
});

test("a steering prompt that no one can read is refused, and one for an idle session is a prompt", async () => {
  await using w = await world({ text: "Hello." });
  expect((await w.steer("a", steering({ idleBehavior: "guess" }))).error.code).toBe(-32602);
  expect((await w.steer("", {})).error.code).toBe(-32602);
  expect((await w.editor.request("_session/steering", { sessionId: "x", prompt: [] })).error.code).toBe(-32002);
  expect((await w.prompt("Hello", steering())).result).toEqual({ stopReason: "end_turn" });
});

test("what becomes of a steering prompt that started a run of its own is shown, because no reply says it", async () => {
  await using w = await world({ status: 400, message: "no such thing" }, { text: "Hello." });
  expect((await w.steer("Go")).result).toEqual({ outcome: "startedNewTurn" });
  await w.editor.until(({ params }) => params?.update?.content?.text?.includes("no such thing"));
  expect((await w.prompt("Hello")).result).toEqual({ stopReason: "end_turn" });
  expect(saidIn(w.editor.updates(w.sessionId)).match(/no such thing/g)).toHaveLength(1);
});

test("/btw by steering, or with an image, is answered beside the conversation and says what was left out", async () => {
  await using w = await world({ text: "Blue." }, { text: "Green." }, { text: "Done." });
  const { editor, sessionId } = w;
  const told = () => saidIn(editor.updates(sessionId));
  expect((await w.steer("/btw Which color?")).result).toEqual({ outcome: "injected" });
  await editor.until(({ params }) => params?.update?.content?.text === "Blue.\n");
  const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };
  const prompt = [image, ...text("/btw And this?")];
  expect((await editor.request("session/prompt", { sessionId, prompt })).result).toEqual({ stopReason: "end_turn" });
  expect(told()).toMatch(/^Blue\.\n\/btw takes only text: .+ left out\.\n\nGreen\.\n$/);
  expect((await w.prompt("Go on")).result).toEqual({ stopReason: "end_turn" });
  expect(userTexts(w.model)[2]).not.toMatch(/Which color|And this/);
});

test("a cancel ends what runs, what steers it and what waits, and none that comes after it", async () => {
  await using w = await world(waits, { text: "After." });
  const before = [w.prompt("Begin")];
  await w.editor.until(isRunning);
  before.push(w.prompt("Turn left", steering()), w.prompt("Wait for it"));
  expect((await w.steer("Turn right")).result).toEqual({ outcome: "injected" });
  w.editor.notify("session/cancel", { sessionId: w.sessionId });
  const after = w.prompt("Once more", steering());
  expect((await Promise.all(before)).map(({ result }) => result.stopReason)).toEqual([
    "cancelled",
    "cancelled",
    "cancelled",
  ]);
  expect((await after).result).toEqual({ stopReason: "end_turn" });
  const said = userTexts(w.model).join();
  expect(said).not.toContain("Turn left");
  expect(said).not.toContain("Turn right");
  expect(saidIn(w.editor.updates(w.sessionId))).toBe("After.");
});

test("$/cancel_request takes back what steers, and leaves the run alone", async () => {
  await using w = await world(waits, { text: "Done." });
  const first = w.prompt("Begin");
  await w.editor.until(isRunning);
  const steered = w.editor.request(
    "session/prompt",
    { sessionId: w.sessionId, prompt: text("Turn left"), ...steering() },
    "steered",
  );
  await settle(w.editor, w.sessionId);
  w.editor.notify("$/cancel_request", { requestId: "steered" });
  expect((await steered).result).toEqual({ stopReason: "cancelled" });
  letGo(w.home);
  expect((await first).result).toEqual({ stopReason: "end_turn" });
  expect(userTexts(w.model).join()).not.toContain("Turn left");
});

test("/btw is answered while a prompt runs and is not added to the conversation; a cancel ends it, too", async () => {
  const script: ScriptStep<JsonObject>[] = [
    waits,
    { text: "Blue." },
    { text: "Done." },
    { text: "never", hang: true, cutAfter: 0 },
  ];
  await using w = await world(...script, { text: "After." });
  const { editor, sessionId } = w;
  const begun = w.prompt("Begin");
  await editor.until(isRunning);
  expect((await w.prompt("/btw  Which color?")).result).toEqual({ stopReason: "end_turn" });
  expect(saidIn(editor.updates(sessionId))).toBe("Blue.\n");
  letGo(w.home);
  expect((await begun).result).toEqual({ stopReason: "end_turn" });
  expect(userTexts(w.model)[2]).not.toContain("color");
  expect((await w.prompt("/btw")).result).toEqual({ stopReason: "end_turn" });
  const asked = w.prompt("/btw And now?");
  await w.model.waitForRequest(4);
  editor.notify("session/cancel", { sessionId });
  expect((await asked).result).toEqual({ stopReason: "cancelled" });
  expect((await w.prompt("Go on")).result).toEqual({ stopReason: "end_turn" });
  const commands = editor.updates(sessionId, "available_commands_update").at(-1).availableCommands;
  expect(commands.filter(({ name }: any) => name === "btw")).toHaveLength(1);

  await editor.end();
  await using again = await startEditor({ home: w.home, url: w.model.url });
  await again.request("session/load", { sessionId, cwd: w.home.project, mcpServers: [] });
  const shown = again.updates(sessionId).filter(({ sessionUpdate: kind }) => /(?:user|agent)_message_chunk/.test(kind));
  expect(shown.map(({ content }) => content.text)).toEqual([
    "Begin",
    "/btw Which color?",
    "Blue.\n",
    "Done.",
    "/btw",
    "/btw requires a question: /btw <question>\n",
    "Go on",
    "After.",
  ]);
});
