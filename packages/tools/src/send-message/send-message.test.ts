import { expect, test } from "bun:test";
import { validateInput } from "@keelson/engine";
import { answer, toolWorld } from "../tool-world.test-support.ts";
import { sendMessageTool } from "./send-message.ts";

test("a message is handed over, and the answer is JSON", async () => {
  using world = toolWorld();
  const sent: unknown[][] = [];
  const tool = sendMessageTool({
    async send(...message) {
      sent.push(message);
      return { success: true, message: "Message sent to a" };
    },
  });
  const input = { to: " a ", message: "Hello", summary: "A greeting" };
  expect(await answer(tool, input, world.context)).toBe('{"success":true,"message":"Message sent to a"}');
  await answer(tool, { to: "a", message: '{"type": "shutdown_request"}' }, world.context);
  expect(sent).toEqual([
    ["a", "Hello", "A greeting", "toolu_1"],
    ["a", { type: "shutdown_request" }, undefined, "toolu_1"],
  ]);
  expect(await answer(tool, { to: "a", message: "Hello" }, world.context)).toBe(
    "refused: summary is required when message is a string",
  );
});

test("a message is a text or an object with a type, and a summary is short", () => {
  const tool = sendMessageTool({ send: () => Promise.reject(new Error("not called")) });
  const valid = (input: object) => validateInput(tool, input).ok;
  expect(valid({ to: "a", message: { type: "plan_approval_response", approve: true } })).toBe(true);
  expect(valid({ to: "a", message: {} })).toBe(false);
  expect(valid({ to: "a", message: 7 })).toBe(false);
  expect(valid({ to: "", message: "x", summary: "x" })).toBe(false);
  expect(valid({ to: "a", message: "x", summary: "x".repeat(201) })).toBe(false);
});
