import { expect, test } from "bun:test";
import { EVENT_FACTS, hookInput } from "@keelson/engine/hooks";
import { HOOK_EVENTS, type JsonObject } from "@keelson/protocol";
import { rebasePaths, sampleEvent, type SampleRequest } from "./sample-event.ts";

const own = (wanted: Omit<SampleRequest, "cwd">): JsonObject => {
  const sample = sampleEvent({ ...wanted, cwd: "/p" });
  if (!sample.ok) throw new Error(sample.message);
  return sample.own;
};

test.each(HOOK_EVENTS)("the sample of %s has only known fields, and a value for matchers", (event) => {
  const sample = own({ event });
  const { input, matchedOn } = EVENT_FACTS[event];
  expect(Object.keys(sample).filter((field) => !input.includes(field))).toEqual([]);
  if (matchedOn !== undefined) expect(sample[matchedOn]).toBeString();
  expect(hookInput(event, { session_id: "s", transcript_path: "t", cwd: "/p" }, sample)).toMatchObject(sample);
});

test("for a tool event the given input is the tool's, unless it names fields of the event", () => {
  expect(own({ event: "PreToolUse", given: { command: "ls" } })).toEqual({
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: "toolu_sample",
  });
  expect(own({ event: "PreToolUse", tool: "Write" })["tool_input"]).toEqual({
    file_path: "/p/example.txt",
    content: "hello\n",
  });
  expect(
    own({ event: "PostToolUse", given: { tool_name: "mcp__s__t", tool_input: { a: 1 }, tool_response: [] } }),
  ).toEqual({
    tool_name: "mcp__s__t",
    tool_input: { a: 1 },
    tool_response: [],
    tool_use_id: "toolu_sample",
    duration_ms: 12,
  });
});

test("for other events the given input is their fields, and naming a tool is an error", () => {
  expect(own({ event: "SessionStart", given: { source: "resume" } })).toEqual({ source: "resume" });
  expect(sampleEvent({ event: "Stop", tool: "Bash", cwd: "/p" })).toEqual({
    ok: false,
    message: "Stop is not about a tool; remove --tool",
  });
});

test("rebasePaths() replaces the folder at any depth and leaves similar names alone", () => {
  const value = { a: ["/p/x", "cat /p/x /p", 3, null], b: { c: "/p", d: "/pq /p.x /q/p-r" } };
  expect(rebasePaths(value, "/p", "/copy")).toEqual({
    a: ["/copy/x", "cat /copy/x /copy", 3, null],
    b: { c: "/copy", d: "/pq /p.x /q/p-r" },
  });
  expect(rebasePaths("/a+b/c", "/a+b", "/$&")).toBe("/$&/c");
});
