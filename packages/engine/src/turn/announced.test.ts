import { expect, test } from "bun:test";
import { scriptedModel, testEngine } from "@keelson/testkit";
import { Conversation } from "./conversation.ts";
import type { ModelProvider } from "../ports.ts";
import { run } from "../run/run.ts";
import { object } from "../schema/schema.ts";
import { defineTool } from "../tool/tool.ts";

const look = defineTool({
  name: "Look",
  description: "Looks",
  input: object({}),
  access: () => ({ kind: "none" }),
  run: async () => ({}),
  show: () => "seen",
});

test("a call is announced when it begins to arrive, before its input", async () => {
  const announced = Promise.withResolvers<string>();
  const inner = scriptedModel({ calls: [{ name: "Look", input: {} }] }, { text: "done" });
  const model: ModelProvider = {
    ...inner,
    async *stream(request, signal) {
      for await (const event of inner.stream(request, signal)) {
        // The rest comes only when someone knows of the call.
        if (event.type === "content_block_delta") await announced.promise;
        yield event;
      }
    },
  };
  const { ports } = testEngine(model, { tools: [look] });
  const prompt = { type: "user", message: { role: "user", content: "go" }, parent_tool_use_id: null } as const;
  const end = await run(prompt, "default", new Conversation(), { ...ports, announced: announced.resolve }, {});
  expect(await announced.promise).toBe("Look");
  expect(end).toMatchObject({ reason: "completed", text: "done" });
});
