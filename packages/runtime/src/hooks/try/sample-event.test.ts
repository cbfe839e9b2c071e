import { expect, test } from "bun:test";
import { EVENT_FACTS, hookInput } from "@keelson/engine/hooks";
import { HOOK_EVENTS, type JsonObject } from "@keelson/protocol";
import { rebasePaths, sampleEvent, type SampleRequest } from "./sample-event.ts";

const own = (wanted: Omit<SampleRequest, "cwd">): JsonObject => {
  const sample = sampleEvent({ ...wanted, cwd: "/p" });
  if (!sample.ok) throw new Error(sample.message);
  return sample.own;
};

test.each(HOOK_EVENTS)("%s has a sample with fields of its own, and something for matchers to look at", (event) => {
  const sample = own({ event });
  const { input, matchedOn } = EVENT_FACTS[event];
  expect(Object.keys(sample).filter((field) => !input.includes(field))).toEqual([]);
  if (matchedOn !== undefined) expect(sample[matchedOn]).toBeString();
  expect(hookInput(event, { session_id: "s", transcript_path: "t", cwd: "/p" }, sample)).toMatchObject(sample);
});

test("for tools the input is the tool's, unless it names fields of the event", () => {
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

test("for other events the input is their fields, and a tool is a mistake", () => {
  expect(own({ event: "SessionStart", given: { source: "resume" } })).toEqual({ source: "resume" });
  expect(sampleEvent({ event: "Stop", tool: "Bash", cwd: "/p" })).toEqual({
    ok: false,
    message: "Stop is about no tool; leave --tool out",
  });
});

test("moved() leads paths elsewhere, wherever they stand, and leaves look-alikes alone", () => {
  const value = { a: ["/p/x", "cat /p/x /p", 3, null], b: { c: "/p", d: "/pq /p.x /q/p-r" } };
  expect(rebasePaths(value, "/p", "/copy")).toEqual({
    a: ["/copy/x", "cat /copy/x /copy", 3, null],
    b: { c: "/copy", d: "/pq /p.x /q/p-r" },
  });
  expect(rebasePaths("/a+b/c", "/a+b", "/$&")).toBe("/$&/c");
});
