import { expect, test } from "bun:test";
import type { ContentBlock, PromptMessage } from "@keelson/protocol";
import { countTogether, mergePrompts } from "./queue-order.ts";

const says = (content: string | readonly ContentBlock[], more: Partial<PromptMessage> = {}): PromptMessage => ({
  type: "user",
  message: { role: "user", content },
  parent_tool_use_id: null,
  ...more,
});
const text = (text: string): ContentBlock => ({ type: "text", text });
const IMAGE: ContentBlock = { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } };
const contentOf = (...contents: (string | readonly ContentBlock[])[]) =>
  mergePrompts(contents.map((content) => says(content))).message.content;

test("countTogether() ends at the first prompt that is not like the others", () => {
  const a = says("a");
  const cases: [string, readonly PromptMessage[], number][] = [
    ["none", [], 0],
    ["one", [a], 1],
    ["all alike", [a, a, a], 3],
    ["a command last", [a, a, says("/cost"), a], 2],
    ["a command first", [says("/cost"), a, a], 1],
    ["a slash that means nothing", [says("/a", { client_composed: true }), says("b", { client_composed: true })], 2],
    ["a mention that means nothing behind one that does", [a, says("@b", { client_composed: true })], 1],
    ["another priority", [a, says("b", { priority: "next" }), says("c", { priority: "later" })], 2],
    ["both for later", [says("a", { priority: "later" }), says("b", { priority: "later" })], 2],
    ["not for the model yet", [says("a", { shouldQuery: false }), a], 1],
    ["behind it, not for the model yet", [a, says("b", { shouldQuery: false })], 1],
    ["not the user's", [a, says("b", { isSynthetic: true })], 1],
    ["from a schedule", [a, says("b", { origin: { kind: "schedule" } as never })], 1],
    ["a command of the shell", [a, says("!b", { shell: { command: "b", toolUseId: "t" } })], 1],
  ];
  const found = cases.map(([name, prompts]) => [name, countTogether(prompts)]);
  expect(found).toEqual(cases.map(([name, , count]) => [name, count]));
});

test("mergePrompts() puts texts on lines of their own and keeps other blocks", () => {
  expect(contentOf("a", "b\n", "c")).toBe("a\nb\n\nc");
  expect(contentOf("a", [text("b"), text("c")], "d")).toEqual([text("a\n"), text("b"), text("c\n"), text("d")]);
  expect(contentOf("a", [IMAGE, text("b")], [IMAGE])).toEqual([text("a"), IMAGE, text("b"), IMAGE]);
});

test("mergePrompts() leaves what it was given as it was", () => {
  const first = says([text("a")], { uuid: "1" });
  expect(mergePrompts([first, says([text("b")])])).toEqual(says([text("a\n"), text("b")]));
  expect(first.message.content).toEqual([text("a")]);
  expect(mergePrompts([first])).toBe(first);
});
