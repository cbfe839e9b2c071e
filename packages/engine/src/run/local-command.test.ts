import { expect, test } from "bun:test";
import { scriptedModel, testEngine } from "@keelson/testkit";
import type { NewEntry, PromptMessage } from "@keelson/protocol";
import { Conversation } from "../turn/conversation.ts";
import type { LocalCommand } from "../ports.ts";
import { resultOf } from "./result.ts";
import { run } from "./run.ts";

const typed = (content: string, more: Partial<PromptMessage> = {}): PromptMessage => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
  ...more,
});

function engineWith(command: LocalCommand["run"]) {
  const model = scriptedModel({ text: "hello" });
  const engine = testEngine(model);
  const expand = async (text: string): Promise<LocalCommand | undefined> =>
    text.startsWith("/") ? { kind: "local", name: "usage", args: "now", run: command } : undefined;
  return { ...engine, model, ports: { ...engine.ports, expand } };
}

const textIn = (entry: NewEntry) => (entry.type === "user" ? entry.message.content : "");

test("a command is answered without the model and without hooks", async () => {
  const { ports, model, entries, fired } = engineWith(async () => "cost: none");
  const end = await run(typed("/cost now", { uuid: "mine" }), "default", new Conversation(), ports, {});

  const totals = { startedAt: 0, durationMs: 1, apiDurationMs: 0, costUsd: 0, modelUsage: {} };
  const result = resultOf(end, totals);
  expect(result).toMatchObject({
    subtype: "success",
    is_error: false,
    result: "cost: none",
    num_turns: 0,
    local_command: "usage",
    usage: { input_tokens: 0, output_tokens: 0 },
  });
  expect("terminal_reason" in result).toBe(false);
  expect([model.requests, fired]).toEqual([[], []]);
  expect(entries.map(({ type }) => type)).toEqual(["user", "user", "system"]);
  expect(textIn(entries[0]!)).toMatch(/^<local-command-caveat>/);
  expect(entries.slice(1)).toMatchObject([
    {
      uuid: "mine",
      message: {
        content:
          "<command-name>/usage</command-name>\n<command-message>usage</command-message>\n<command-args>now</command-args>",
      },
    },
    {
      subtype: "local_command",
      content: "<local-command-stdout>cost: none</local-command-stdout>",
      level: "info",
      commandRun: { command: "usage", args: "now" },
    },
  ]);
});

test("a command that fails says why", async () => {
  const { ports, entries } = engineWith(async () => {
    throw new Error("There is no cost");
  });
  const end = await run(typed("/cost now"), "default", new Conversation(), ports, {});
  expect(end).toMatchObject({ reason: "completed", text: "There is no cost" });
  expect(entries.at(-1)).toMatchObject({
    content: "<local-command-stderr>There is no cost</local-command-stderr>",
    level: "error",
  });
});

test("the model reads nothing of a command, neither now nor after a resume", async () => {
  const { ports, model, entries } = engineWith(async () => "cost: none");
  const conversation = new Conversation();
  await run(typed("/cost now"), "default", conversation, ports, {});
  await run(typed("hi"), "default", conversation, ports, {});

  const messages = [{ role: "user", content: [{ type: "text", text: "hi" }] }];
  expect(model.requests.map((request) => request.messages)).toEqual([messages] as never);
  expect((await Conversation.of(entries)).messages[0]).toEqual(messages[0] as never);
});

test("text that a client composed is taken as it is", async () => {
  const { ports, model } = engineWith(async () => "cost: none");
  await run(typed("/cost now", { client_composed: true }), "default", new Conversation(), ports, {});
  expect(model.requests[0]!.messages[0]!.content).toEqual([{ type: "text", text: "/cost now" }]);
});
