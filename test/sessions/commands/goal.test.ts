// /goal: the session works until another model says that a condition holds.

import { expect, test } from "bun:test";
import {
  runKeelson,
  startKeelson,
  startMockModel,
  temporaryHome,
  type LoggedLine,
  type ScriptedReply,
  type TemporaryHome,
} from "@keelson/testkit";
import { agent, cast } from "../agents/cast.ts";
import { CHAT, messagesOf, prompt, resultOf, spoken, STREAM } from "../front-door.ts";

const judged = (ok: boolean, reason: string, more: object = {}): ScriptedReply => ({
  text: JSON.stringify({ ok, reason, ...more }),
});
const notes = (ended: Parameters<typeof messagesOf>[0]) =>
  messagesOf(ended, "system/informational").map(({ level, content }) => [level, content]);

test("the model goes back to work with the reason until the goal holds, in one run", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { text: "I wrote the first half." },
    judged(false, "the second half is missing"),
    { calls: [{ name: "Bash", input: { command: "echo all 4 tests pass" } }] },
    { text: "Now all of it is there." },
    judged(true, "the output says that all tests pass"),
  ]);
  const ended = await runKeelson(["-p", "/goal all tests pass", ...STREAM, "--allowedTools", "Bash"], {
    home,
    url: model.url,
  });
  expect(resultOf(ended)).toMatchObject({ subtype: "success", result: "Now all of it is there." });
  expect(notes(ended)).toEqual([
    ["info", "Goal not met yet: the second half is missing"],
    ["info", "Goal met: the output says that all tests pass"],
  ]);
  const [first, judge, second, , last] = model.requests.map(({ body }) => body) as any[];
  expect(
    spoken(model.requests[0]!)
      .at(-1)
      .content.map(({ text }: any) => text),
  ).toEqual([
    "<command-message>goal</command-message>\n<command-name>/goal</command-name>\n<command-args>all tests pass</command-args>",
    expect.stringContaining("Work until it holds:\n\nall tests pass\n"),
  ]);
  // The small model sees what was said and done, and has no tools.
  expect(judge.model).not.toBe(first.model);
  expect(judge.tools ?? []).toEqual([]);
  expect(judge.messages[0].content[0].text).toContain("The goal:\nall tests pass\n");
  expect(judge.messages[0].content[0].text).toContain("I wrote the first half.");
  expect(last.messages[0].content[0].text).toContain('{"result":["all 4 tests pass');
  expect(JSON.stringify(second.messages.at(-1))).toContain("does not hold yet: the second half is missing");
});

test("while an agent works in the background, the goal is not checked; the run that its end starts is", async () => {
  using home = temporaryHome();
  const released = Promise.withResolvers<void>();
  const started = { calls: [agent("Do the other half", { run_in_background: true })] };
  await using model = await startMockModel(
    cast({
      "The condition: the goal holds": [judged(true, "both halves are there")],
      main: [started, { text: "Waiting for it." }, { text: "All of it is there." }],
      "Do the other half": [() => released.promise.then(() => ({ text: "The other half is done" }))],
    }),
  );
  await using running = startKeelson(["-p", "/goal both halves are there", ...STREAM], { home, url: model.url });
  await running.waitForLine(({ result }) => result === "Waiting for it.");
  released.resolve();
  const ended = await running.done;
  expect(messagesOf(ended, "result").map(({ result }) => result)).toEqual(["Waiting for it.", "All of it is there."]);
  expect(notes(ended)).toEqual([["info", "Goal met: both halves are there"]]);
});

test("what waits for the end of a run that works towards a goal gets its turn", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    async () => {
      running.send({ ...prompt("/goal clear"), uuid: crypto.randomUUID() });
      await running.waitForLine(({ type, state }) => type === "command_lifecycle" && state === "queued");
      return { text: "Half of it." };
    },
  ]);
  await using running = startKeelson(["-p", ...CHAT], { home, url: model.url, stdin: "open" });
  running.send(prompt("/goal it works"));
  await running.waitForLine(({ result }) => result === "Cleared the goal: it works");
  running.closeStdin();
  expect(notes(await running.done)).toEqual([]);
  expect(model.requests.length).toBe(1);
});

/** Prompts one after the other, each when the last has its result. */
async function conversation(home: TemporaryHome, url: string) {
  const program = startKeelson(["-p", ...CHAT], { home, url, stdin: "open" });
  let last: LoggedLine | undefined;
  return {
    async say(text: string): Promise<string> {
      program.send(prompt(text));
      last = await program.waitForLine(({ type }) => type === "result", last ? { after: last } : {});
      return last.json.result ?? "";
    },
    async end() {
      program.closeStdin();
      return await program.done;
    },
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  };
}

test.each<[string, ScriptedReply, unknown, string]>([
  [
    "impossible",
    judged(false, "the file is gone", { impossible: true }),
    "Goal given up, since it cannot be met: the file is gone",
    "There is no goal",
  ],
  [
    "not judged",
    { text: "I cannot say" },
    expect.stringMatching(/^The goal could not be checked: .*\. It stays; the next prompt checks it$/),
    "Goal: it works",
  ],
])("a goal that is %s ends the run", async (_, verdict, note, status) => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Tried." }, verdict]);
  await using talk = await conversation(home, model.url);
  expect(await talk.say("/goal it works")).toBe("Tried.");
  expect(await talk.say("/goal")).toStartWith(status);
  expect(notes(await talk.end())).toEqual([["warning", note]]);
});

test("a goal is shown, cleared and replaced, and does not outlive a failed request or /clear", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { text: "one" },
    { text: "no verdict" },
    { text: "two" },
    { text: "no verdict" },
    { text: "three" },
    judged(true, ""),
    { status: 400, message: "no" },
    { text: "five" },
    { text: "no verdict" },
  ]);
  await using talk = await conversation(home, model.url);
  expect(await talk.say("/goal")).toBe("There is no goal. Set one with /goal <what must hold in the end>");
  await talk.say("/goal first");
  expect(await talk.say("/goal")).toBe(
    "Goal: first\nSet less than a minute ago\nNot checked yet\n/goal clear removes it",
  );
  await talk.say("/goal second");
  expect(await talk.say("/goal OFF")).toBe("Cleared the goal: second");
  await talk.say("/goal third");
  expect(await talk.say("/goal clear")).toBe("There is no goal");
  await talk.say("/goal fourth");
  expect(await talk.say("/goal clear")).toBe("There is no goal");
  await talk.say("/goal fifth");
  await talk.say("/clear");
  expect(await talk.say("/goal clear")).toBe("There is no goal");
  const requests = model.requests.length;
  expect(await talk.say(`/goal ${"x".repeat(4_001)}`)).toBe(
    "/goal failed: a goal has at most 4000 characters, and this one has 4001",
  );
  expect(model.requests.length).toBe(requests);
});

test("a goal that a hook refuses is not set", async () => {
  using home = temporaryHome();
  const refuse = { type: "command", command: "grep -q goal && { echo no goals >&2; exit 2; }; true" };
  home.settings({ hooks: { UserPromptSubmit: [{ hooks: [refuse] }] } });
  await using model = await startMockModel([{ text: "hello" }]);
  await using talk = await conversation(home, model.url);
  await talk.say("/goal it works");
  expect(await talk.say("hi")).toBe("hello");
  expect(await talk.say("/goal")).toStartWith("There is no goal");
  expect((await talk.end()).stderr).toBe("");
  expect(model.requests.length).toBe(1);
});
