import { expect, test } from "bun:test";
import { lineOf, MAX_LINE, shorten } from "./line.ts";
import { answers, prompt, SESSION } from "../samples.test-support.ts";

test("metadata starts with its type, whatever the order of its fields", () => {
  const entry = { sessionId: SESSION, customTitle: "a name", type: "custom-title" } as const;
  expect(lineOf(entry)).toBe(`{"type":"custom-title","sessionId":"${SESSION}","customTitle":"a name"}`);
});

test("a chain entry starts with its parent and ends with the entry its result belongs to", () => {
  const line = lineOf(answers("r", "c", "hi"));
  expect(line).toStartWith('{"parentUuid":"c","isSidechain":false,"type":"user","message":{"role":"user","content":[{');
  expect(line).toEndWith(',"toolUseResult":{"stdout":"hi"},"sourceToolAssistantUUID":"c"}');
  expect(JSON.parse(line)).toEqual(answers("r", "c", "hi"));
});

test("no character in a line makes another reader see two lines", () => {
  const entry = prompt("u", null, "a\u2028b\u2029c\u0085d\ne\r\ud800");
  const line = lineOf(entry);
  expect(line).not.toMatch(/[\n\r\u0085\u2028\u2029]/);
  expect(JSON.parse(line)).toEqual(entry);
});

test("a line that is too long loses the tool's longest strings and keeps the message", () => {
  const entry = answers("r", "c", "kept", { small: "kept too", huge: "x".repeat(MAX_LINE + 1) });
  const { toolUseResult, message } = JSON.parse(lineOf(entry)) as Record<string, unknown>;
  expect(message).toEqual(entry.type === "user" ? entry.message : undefined);
  expect(toolUseResult).toEqual({ small: "kept too", huge: `[left out: ${MAX_LINE + 1} characters]` });
});

test("shorten() drops everything if many short strings are too much", () => {
  const many = Array.from({ length: 1_000 }, () => "0123456789");
  expect(shorten(many, 2_000)).toBe("[left out: 13001 characters]");
});
