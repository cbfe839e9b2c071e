import { expect, test } from "bun:test";
import { messageProblems } from "./message-problems.ts";

const text = (value: string) => ({ type: "text", text: value });
const call = (id: string) => ({ type: "tool_use", id, name: "Read", input: {} });
const result = (id: string, content: unknown = "ok") => ({ type: "tool_result", tool_use_id: id, content });
const thought = { type: "thinking", thinking: "hm", signature: "s" };
const user = (...content: object[]) => ({ role: "user", content: content as Record<string, unknown>[] });
const reply = (...content: object[]) => ({ role: "assistant", content: content as Record<string, unknown>[] });

test("a conversation with parallel calls and a paused turn has no problems", () => {
  expect(
    messageProblems([
      { role: "user", content: "go" },
      reply(thought, call("a"), call("b")),
      user(result("a"), result("b"), text("go on")),
      reply(text("wait")),
      reply(text("done")),
      user(text("thanks")),
    ]),
  ).toEqual([]);
});

test.each([
  ["nothing at all", [], "the first message is not the user's"],
  ["a reply first", [reply(text("hi")), user(text("x"))], "the first message is not the user's"],
  ["a reply last", [user(text("x")), reply(text("hi"))], "the last message is not the user's"],
  ["two of the user's", [user(text("x")), user(text("y"))], "follows one of the same role"],
  ["an empty message", [user()], "is empty"],
  ["a blank text", [user(text(" \n"))], "has a blank text"],
  ["a blank text as a string", [{ role: "user", content: "" }], "has a blank text"],
  ["a blank result", [user(text("x")), reply(call("a")), user(result("a", [text("")]))], "has a blank text"],
  ["a thought at the end", [user(text("x")), reply(text("y"), thought), user(text("z"))], "ends in a thought"],
  ["an orphan result", [user(text("x"), result("a"))], "answers [a] where [] was called"],
  ["a missing result", [user(text("x")), reply(call("a")), user(text("y"))], "answers [] where [a] was called"],
  [
    "results out of order",
    [user(text("x")), reply(call("a"), call("b")), user(result("b"), result("a"))],
    "answers [b,a] where [a,b] was called",
  ],
  [
    "text before a result",
    [user(text("x")), reply(call("a")), user(text("y"), result("a"))],
    "has something before its results",
  ],
  [
    "a call twice",
    [user(text("x")), reply(call("a")), user(result("a")), reply(call("a")), user(result("a"))],
    "repeats call a",
  ],
  ["an open call", [user(text("x")), reply(call("a"))], "nobody answers [a]"],
  ["a call by the user", [user(call("a")), user(result("a"))], "makes a call"],
  [
    "a call without an input",
    [user(text("x")), reply({ ...call("a"), input: "{" }), user(result("a"))],
    "has a call without an input",
  ],
])("%s", (_, messages, problem) => {
  expect(messageProblems(messages).join("\n")).toContain(problem);
});
