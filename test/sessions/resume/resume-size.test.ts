// A large session resumed: the model is sent what the live session sent, to the letter, so that its cache still holds.

import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import {
  messageProblems,
  runKeelson,
  startMockModel,
  temporaryHome,
  transcriptFiles,
  type RecordedRequest,
  type ScriptedReply,
} from "@keelson/testkit";
import { control } from "../front-door.ts";

const FILES = 30;
const STREAM = ["--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits"];
// Characters that line readers, escapers and cutters trip over.
const ODD = `tab\t, "quotes", back\\slash, é, 日本, 🛶, \u0000, \u2028, \u2029, \u0085, </system-reminder>, end`;

test("a session of more than 5 MB continues with the very conversation it had", async () => {
  using home = temporaryHome();
  const text = `${"a rope and a sail ".repeat(60)}\n`.repeat(85);
  // Without the NUL, which would make it a binary file.
  for (let at = 0; at < FILES + 4; at++) home.write(`${at}.txt`, `${at} ${ODD.replace("\u0000", "")}\n${text}`);
  await using model = await startMockModel((_, number) => turn(number));
  const prompts = [
    "Read it all",
    [
      { type: "text", text: "And " },
      { type: "text", text: "again" },
    ],
  ];

  const live = await runKeelson(["--input-format", "stream-json", ...STREAM], {
    home,
    url: model.url,
    stdin: [
      control("each", { subtype: "initialize", joinQueuedPrompts: false }),
      ...prompts.map((content) => ({ type: "user", message: { role: "user", content } })),
    ],
  });
  expect({ code: live.code, stderr: live.stderr }).toEqual({ code: 0, stderr: "" });
  expect(statSync(transcriptFiles(home)[0]!).size).toBeGreaterThan(5_000_000);
  const last = partsOf(model.requests.at(-1)!);
  expect(last.messages.length).toBeGreaterThan(2 * FILES);

  // As before: a session that ends with its answer is told of fewer tools.
  const resumed = await runKeelson(["--continue", "--input-format", "stream-json", ...STREAM], {
    home,
    url: model.url,
    stdin: [{ type: "user", message: { role: "user", content: "Still afloat?" } }],
  });

  expect({ code: resumed.code, stderr: resumed.stderr }).toEqual({ code: 0, stderr: "" });
  const next = partsOf(model.requests.at(-1)!);
  expect(messageProblems(model.requests.at(-1)!.body.messages)).toEqual([]);
  expect({ ...next, messages: next.messages.slice(-2) }).toEqual({
    ...last,
    messages: [
      JSON.stringify({ role: "assistant", content: [{ type: "text", text: "Said and done" }] }),
      JSON.stringify({ role: "user", content: [{ type: "text", text: "Still afloat?" }] }),
    ],
  });
  // One by one, so that a difference shows where it is and not five megabytes around it.
  next.messages.slice(0, -2).forEach((message, at) => expect(message === last.messages[at]).toBe(true));
  expect(next.messages).toHaveLength(last.messages.length + 2);
});

/** Calls, thoughts, errors and odd characters in every form a session can hold them; the prompts end at two of them. */
function turn(number: number): ScriptedReply {
  const read = (at: number) => ({ name: "Read", input: { file_path: `${at}.txt` } });
  if (number === FILES) return { text: "Half way" };
  if (number > FILES + 3) return { text: "Said and done" };
  if (number > FILES) return { thinking: ODD, text: ODD, calls: [read(number), { name: "Nope", input: { odd: ODD } }] };
  switch (number % 4) {
    case 0:
      return { calls: [read(number), { name: "Bash", input: { command: "echo one" } }, read(0)] };
    case 1:
      return { thinking: "Hm.", text: `Turn ${number}`, calls: [read(number)] };
    case 2:
      return { calls: [read(number), { name: "Write", input: { file_path: `new/${number}.txt`, content: ODD } }] };
    default:
      return { calls: [read(number), { name: "Bash", input: { command: "printf 'no newline'; exit 3" } }] };
  }
}

/** Everything the provider's cache looks at, each message as its own text; without the marks that move on. */
function partsOf({ body }: RecordedRequest) {
  const { system, tools, model, messages } = body;
  const unmarked = (key: string, value: unknown) => (key === "cache_control" ? undefined : value);
  return {
    model,
    system: JSON.stringify(system),
    tools: JSON.stringify(tools),
    messages: messages.map((message: unknown) => JSON.stringify(message, unmarked)) as string[],
  };
}
