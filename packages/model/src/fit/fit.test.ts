import { expect, test } from "bun:test";
import type { ModelMessage } from "@keelson/protocol";
import {
  CHAT_IDS,
  CONVERSE_IDS,
  fitId,
  fitIds,
  idsIn,
  MESSAGES_IDS,
  MISTRAL_IDS,
  newCallId,
  RESPONSES_IDS,
} from "./ids.ts";
import { CHAT_NAMES, fitNames, GEMINI_NAMES } from "./names.ts";

const long = "x".repeat(70);

test("fitId() keeps an id that fits, and makes the same one each time from any other", () => {
  expect(fitId("toolu_01", CHAT_IDS)).toBe("toolu_01");
  expect(fitId("functions.Bash:0", CHAT_IDS)).toBe("functions.Bash:0");
  for (const rule of [CHAT_IDS, RESPONSES_IDS, CONVERSE_IDS, MESSAGES_IDS, MISTRAL_IDS]) {
    for (const id of [long, "functions.Bash:0", "é/…", "", "abc def"]) {
      expect(fitId(id, rule)).toMatch(rule.accepts);
      expect(fitId(id, rule)).toBe(fitId(id, rule));
    }
  }
  expect(fitId("toolu_01", MISTRAL_IDS)).not.toBe(fitId("toolu_02", MISTRAL_IDS));
});

test("fitIds() changes a call and its result alike, and leaves everything else as it is", () => {
  const prompt: ModelMessage = { role: "user", content: "hi" };
  const messages: ModelMessage[] = [
    prompt,
    { role: "assistant", content: [{ type: "tool_use", id: "a b", name: "Read", input: {} }], reply: { model: "m" } },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "a b", content: "x" }] },
  ];
  const id = fitId("a b", MESSAGES_IDS);
  expect(fitIds(messages, MESSAGES_IDS)).toEqual([
    prompt,
    { role: "assistant", content: [{ type: "tool_use", id, name: "Read", input: {} }], reply: { model: "m" } },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: "x" }] },
  ]);
  expect(fitIds(messages, CHAT_IDS)).toEqual(messages);
  expect(fitIds(messages, CHAT_IDS)[1]).toBe(messages[1]!);
  expect(idsIn(messages)).toEqual(new Set(["a b"]));
});

test("newCallId() makes different ids that every server but Mistral's accepts", () => {
  expect(newCallId()).not.toBe(newCallId());
  for (const rule of [CHAT_IDS, RESPONSES_IDS, CONVERSE_IDS, MESSAGES_IDS]) expect(newCallId()).toMatch(rule.accepts);
});

test("fitNames() shortens a name on the way out and restores it on the way in", () => {
  const one = `mcp__server__${long}_one`;
  const two = `mcp__server__${long}_two`;
  const names = fitNames(
    [{ name: one }, { name: two }, { name: "Bash" }, { name: "a.b" }, { name: "a_b" }],
    CHAT_NAMES,
  );
  for (const name of [one, two, "Bash", "a.b", "a_b"]) {
    expect(names.out(name)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(names.in(names.out(name))).toBe(name);
  }
  expect(names.out("Bash")).toBe("Bash");
  expect(names.out(one)).not.toBe(names.out(two));
  expect(names.out(`gone_${long}`).length).toBe(64);
});

test("fitNames() knows a tool in other capitals, unless two tools differ in them only", () => {
  const names = fitNames([{ name: "Bash" }, { name: "Read" }, { name: "read" }], CHAT_NAMES);
  expect(["bash", " Bash", "READ", "read", "Write"].map((name) => names.in(name))).toEqual([
    "Bash",
    "Bash",
    "READ",
    "read",
    "Write",
  ]);
});

test("fitNames() begins a name as the server wants it", () => {
  expect(fitNames([], GEMINI_NAMES).out("9lives")).toMatch(/^_lives_[0-9a-f]{8}$/);
  expect(fitNames([], GEMINI_NAMES).out("_ok")).toBe("_ok");
});
