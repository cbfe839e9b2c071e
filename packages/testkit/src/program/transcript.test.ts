import { expect, test } from "bun:test";
import { temporaryHome } from "./home.ts";
import { chainProblems, readTranscript, transcriptFiles } from "./transcript.ts";

const user = (uuid: string, parentUuid: string | null, content: unknown = "hi") => ({
  type: "user",
  uuid,
  parentUuid,
  message: { role: "user", content },
});
const assistant = (uuid: string, parentUuid: string, content: unknown) => ({
  type: "assistant",
  uuid,
  parentUuid,
  message: { role: "assistant", content },
});
const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} });
const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "x" });
const jsonl = (...entries: unknown[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");

test("readTranscript() finds the only session, or the one named", () => {
  using home = temporaryHome();
  const [one, two] = [user("u1", null), user("u2", null)];
  home.write("~/.claude/projects/-p/s1.jsonl", jsonl(one, { type: "tag", tag: "t" }));
  home.write("~/.claude/projects/-p/s1/subagents/agent-a.jsonl", jsonl(two));
  expect<unknown>(readTranscript(home)).toEqual([one, { type: "tag", tag: "t" }]);

  home.write("~/.claude/projects/-q/s2.jsonl", jsonl(two));
  expect<unknown>(readTranscript(home, "s2")).toEqual([two]);
  expect(transcriptFiles(home).map((path) => path.slice(home.configDir.length))).toEqual([
    "/projects/-p/s1.jsonl",
    "/projects/-q/s2.jsonl",
  ]);
  expect(() => readTranscript(home)).toThrow("Expected one transcript, found 2");
  expect(() => readTranscript(home, "s3")).toThrow('Expected one transcript of "s3", found 0');
});

test("readTranscript() reports that there is no transcript", () => {
  using home = temporaryHome();
  expect(() => readTranscript(home)).toThrow("(no transcript at all)");
});

test("readTranscript() throws on a damaged line, unless it is tolerant", () => {
  using home = temporaryHome();
  home.write(
    "~/.claude/projects/-p/s1.jsonl",
    `${jsonl(user("u1", null))}{"type":"us\n${JSON.stringify(user("u2", "u1"))}`,
  );
  expect(() => readTranscript(home)).toThrow("Damaged line 2");
  expect<unknown>(readTranscript(home, "s1", { tolerant: true })).toEqual([user("u1", null), user("u2", "u1")]);
});

test("chainProblems() finds nothing wrong with a sound conversation, including branches and metadata", () => {
  expect(
    chainProblems([
      { type: "queue-operation", operation: "enqueue" },
      user("u1", null),
      assistant("a1", "u1", [call("c1")]),
      assistant("a2", "a1", [call("c2")]),
      user("u3", "a2", [result("c2")]),
      user("u2", "a1", [result("c1")]),
      { type: "system", subtype: "compact_boundary", uuid: "s1", parentUuid: null },
      user("u4", "s1"),
    ]),
  ).toEqual([]);
});

test("chainProblems() reports each problem", () => {
  expect(
    chainProblems([
      user("u1", null),
      user("u1", null),
      assistant("a1", "gone", [call("c1"), call("c2"), call("c2")]),
      user("u2", "a1", [result("c2"), result("c9")]),
      user("u3", "u2", [result("c2")]),
      user("x", "y"),
      user("y", "x"),
    ]),
  ).toEqual([
    'uuid "u1" is used more than once',
    'entry "a1" has a parent "gone" that is not there',
    'entry "x" is its own ancestor',
    'call "c2" is made more than once',
    'call "c2" has more than one result',
    'call "c1" has no result',
    'result for "c9" answers no call',
  ]);
});
