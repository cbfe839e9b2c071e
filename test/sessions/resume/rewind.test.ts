// Going back to before a prompt (`rewind_conversation`): a new branch of the same transcript.

import { expect, test } from "bun:test";
import { join } from "node:path";
import {
  messageProblems,
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type RecordedRequest,
} from "@keelson/testkit";
import { CHAT, control, messagesOf, prompt, spoken } from "../front-door.ts";

const [A, B, C] = ["a", "b", "c"].map((digit) => `${digit.repeat(8)}-1111-4222-8333-444444444444`) as [
  string,
  string,
  string,
];
const replyTo =
  (id: string) =>
  ({ response }: any) =>
    response?.request_id === id;
const rewind = (user_message_id: string) => control("back", { subtype: "rewind_conversation", user_message_id });
const textsOf = (request: RecordedRequest) =>
  spoken(request).flatMap(({ content }) => content.map(({ type, text }: any) => text ?? type));

test("the conversation continues from before the prompt, also for who resumes it", async () => {
  using home = temporaryHome();
  home.write("seen.txt", "old");
  const read = { calls: [{ name: "Read", input: { file_path: join(home.project, "seen.txt") } }] };
  const edit = {
    calls: [
      { name: "Edit", input: { file_path: join(home.project, "seen.txt"), old_string: "old", new_string: "new" } },
    ],
  };
  await using model = await startMockModel([
    { text: "one" },
    read,
    { text: "two" },
    { text: "three" },
    edit,
    { text: "other two" },
  ]);
  const args = [...CHAT, "--allowedTools", "Edit"];
  await using program = startKeelson(args, { home, url: model.url, stdin: "open" });
  program.send(control("each", { subtype: "initialize", joinQueuedPrompts: false }));
  program.send(prompt("first", { uuid: A }));
  program.send(prompt([{ type: "text", text: "second" }], { uuid: B }));
  program.send(prompt("third", { uuid: C }));
  await program.waitForLine(({ result }: any) => result === "three");
  program.send(rewind(B));
  const { json } = await program.waitForLine(replyTo("back"));
  expect((json as any).response).toEqual({
    subtype: "success",
    request_id: "back",
    response: { prompt: [{ type: "text", text: "second" }], sessionId: expect.any(String) },
  });
  program.send(prompt("second again"));
  await program.waitForLine(({ result }: any) => result === "other two");
  program.send(control("bad", { subtype: "rewind_conversation", user_message_id: "nobody" }));
  const bad = await program.waitForLine(replyTo("bad"));
  expect((bad.json as any).response.error).toBe('No prompt with the id "nobody" in this conversation');
  program.closeStdin();
  const ended = await program.done;

  expect(textsOf(model.requests[4]!)).toEqual(["first", "one", "second again"]);
  // What was read in the part that is gone has to be read again.
  expect(JSON.stringify(spoken(model.requests[5]!).at(-1))).toContain("File has not been read yet");
  expect(messageProblems(model.requests[5]!.body.messages)).toEqual([]);
  const rewound = {
    user_message_id: B,
    content: "Went back to before “second”; what followed is no longer part of the conversation",
  };
  expect(messagesOf(ended, "system/conversation_rewound")).toMatchObject([rewound]);

  await using again = await startMockModel([{ text: "yes" }]);
  const id = messagesOf(ended, "result")[0].session_id;
  await using resumed = startKeelson([...CHAT, "-r", id], { home, url: again.url, stdin: "open" });
  resumed.send(prompt("and?"));
  await resumed.waitForLine(({ result }: any) => result === "yes");
  expect(textsOf(again.requests[0]!)).toEqual([
    ...["first", "one", "second again", "tool_use", "tool_result", "other two", "and?"],
  ]);
  // It stays where it happened.
  resumed.send(control("past", { subtype: "get_messages" }));
  const past = await resumed.waitForLine(replyTo("past"));
  const messages: any[] = (past.json as any).response.response.messages;
  const kinds = messages.map(
    ({ type, subtype, message }) => subtype ?? `${type} ${message.content[0].text ?? message.content}`,
  );
  expect(kinds.slice(0, 4)).toEqual(["user first", "assistant one", "conversation_rewound", "user second again"]);
  expect(messages[2]).toMatchObject(rewound);
  resumed.closeStdin();
  await resumed.done;
  const exported = await runKeelson(["export", id], { home });
  expect(exported.stdout).toContain(rewound.content);
  expect(exported.stdout.indexOf("Went back")).toBeGreaterThan(exported.stdout.indexOf("first"));
});

test("going back to the first prompt leaves an empty conversation, even if the program ends there", async () => {
  using home = temporaryHome();
  home.write("CLAUDE.md", "Be brief.");
  await using model = await startMockModel([{ text: "one" }, { text: "anew" }]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(prompt("first", { uuid: A }));
  const { json } = await program.waitForLine(({ type }: any) => type === "result");
  program.send(rewind(A));
  await program.waitForLine(replyTo("back"));
  program.closeStdin();
  await program.done;
  await using resumed = startKeelson([...CHAT, "-r", (json as any).session_id], {
    home,
    url: model.url,
    stdin: "open",
  });
  resumed.send(prompt("hello"));
  await resumed.waitForLine(({ result }: any) => result === "anew");
  resumed.closeStdin();
  await resumed.done;
  expect(textsOf(model.requests[1]!)).toEqual(["hello"]);
  expect(JSON.stringify(model.requests[1]!.body.messages)).toContain("Be brief.");
});

test("a run that is active is not taken back", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "never", hang: true, cutAfter: 1 }]);
  await using program = startKeelson(CHAT, { home, url: model.url, stdin: "open" });
  program.send(prompt("first", { uuid: A }));
  await model.waitForRequest(1);
  program.send(rewind(A));
  const { json } = await program.waitForLine(replyTo("back"));
  expect((json as any).response).toMatchObject({ subtype: "error", error_code: "busy" });
  program.send(control("stop", { subtype: "interrupt" }));
  program.closeStdin();
  await program.done;
});
