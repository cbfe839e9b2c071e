// Servers that give every reply the same id: replies are still told apart, live and after a resume.

import { expect, test } from "bun:test";
import { messageProblems, scriptedModel, testEngine } from "@keelson/testkit";
import { Conversation } from "./conversation.ts";
import type { ModelProvider } from "../ports.ts";
import { run } from "../run/run.ts";
import { object } from "../schema/schema.ts";
import { defineTool } from "../tool/tool.ts";

const look = defineTool({
  name: "Look",
  description: "Looks",
  input: object({}),
  parallelSafe: true,
  access: () => ({ kind: "none" }),
  run: async () => ({}),
  show: () => "seen",
});

/** A model that uses one id for every reply, and pauses before each reply ends. */
function withOneId(inner: ModelProvider): ModelProvider {
  return {
    ...inner,
    async *stream(request, signal) {
      for await (const event of inner.stream(request, signal)) {
        if (event.type === "message_start") yield { ...event, message: { ...event.message, id: "msg" } };
        else if (event.type === "message_delta") {
          yield { type: "notice", notice: { type: "pause" } };
          yield event;
        } else yield event;
      }
    },
  };
}

test("replies with the same id stay separate, even if a call is recorded before its reply has ended", async () => {
  const call = { name: "Look", input: {} };
  const model = scriptedModel(
    { text: "First", calls: [call, call] },
    { text: "Second", calls: [call] },
    { text: "Done" },
  );
  const { ports, entries } = testEngine(withOneId(model), { tools: [look] });
  const conversation = new Conversation();

  const prompt = { type: "user", message: { role: "user", content: "go" }, parent_tool_use_id: null } as const;
  const end = await run(prompt, "default", conversation, ports, {});

  expect(end).toMatchObject({ reason: "completed", text: "Done" });
  const roles = ["user", "assistant", "user", "assistant", "user", "assistant"] as const;
  expect(conversation.messages.map(({ role }) => role)).toEqual([...roles]);
  expect(model.requests.flatMap(({ messages }) => messageProblems(messages as never))).toEqual([]);
  expect((await Conversation.of(entries)).messages).toEqual([...conversation.messages]);
});
