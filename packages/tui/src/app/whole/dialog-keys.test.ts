// Which keys answer a question of the session, which still belong to what was there before it, and what waiting costs.

import { expect, test } from "bun:test";
import { asks } from "../../dialogs/dialog.test-support.ts";
import { FakeSession, turnEnd } from "./fake-session.test-support.ts";
import { FakeClock, startFakeProgram } from "./fake-terminal.test-support.ts";

const REPLIES = { get_settings: { effective: {}, sources: [], applied: {} } };

async function start(clock: FakeClock) {
  const session = new FakeSession(REPLIES);
  const program = startFakeProgram({ clock, session });
  const wait = async (ms = 0) => {
    await program.settled();
    clock.advance(ms);
    await program.settled();
  };
  await wait(50);
  const answers = () =>
    session.sent.flatMap((input) =>
      input.type === "control_response" && input.response.subtype === "success"
        ? [(input.response.response as { behavior?: string })?.behavior]
        : [],
    );
  return {
    program,
    session,
    wait,
    answers,
    prompts: () => session.sent.flatMap((input) => (input.type === "user" ? [input.message.content] : [])),
    async type(keys: string, ms = 50) {
      program.type(keys);
      await wait(ms);
    },
    async ask(id = "r1") {
      session.say({ ...asks("Bash", { command: "ls" }), request_id: id });
      await wait(50);
    },
  };
}

test("someone who continues typing does not answer, however long it takes", async () => {
  using clock = new FakeClock();
  const { type, ask, answers, prompts, wait } = await start(clock);
  await type("a");
  await ask();
  for (const key of "bcdefg 1") await type(key, 100);
  expect(answers()).toEqual([]);
  await wait(400);
  // The prompt is half written: Enter may be meant for it.
  await type("\r");
  expect(answers()).toEqual([]);
  await type("\x1b[A");
  await type("\r");
  expect(answers()).toEqual(["allow"]);
  await type("\r", 150);
  expect(prompts()).toEqual(["abcdefg 1"]);
});

test("keys for a panel do not answer a question that came over it", async () => {
  using clock = new FakeClock();
  const { type, ask, answers, wait } = await start(clock);
  await type("\x12");
  await type("x");
  await ask();
  await type("1");
  expect(answers()).toEqual([]);
  await wait(400);
  await type("1");
  await type("\r");
  expect(answers()).toEqual(["allow"]);
});

test("the keys that close a viewer do not answer the question below it", async () => {
  using clock = new FakeClock();
  const { type, ask, answers, wait } = await start(clock);
  await type("\x0f");
  await ask();
  await wait(2_000);
  await type("q");
  await type("1", 400);
  expect(answers()).toEqual([]);
  await type("\x1b[A");
  await type("\r");
  expect(answers()).toEqual(["allow"]);
});

test("questions are asked one after the other, and one that is taken back disappears", async () => {
  using clock = new FakeClock();
  const { type, ask, answers, session, wait, program } = await start(clock);
  await ask("r1");
  await ask("r2");
  await ask("r3");
  session.say({ type: "control_cancel_request", request_id: "r2" });
  session.say({ type: "control_cancel_request", request_id: "r1" });
  await wait(50);
  await wait(50);
  program.written();
  // Meant for the one that was there a moment ago.
  await type("\r", 300);
  expect(answers()).toEqual([]);
  await type("1");
  await type("\r");
  expect(answers()).toEqual(["allow"]);
  expect(session.sent.at(-1)).toMatchObject({ response: { request_id: "r3" } });
  await type("hello\r");
  expect(session.sent.at(-1)).toMatchObject({ type: "user", message: { content: "hello" } });
});

test.each([
  ["a panel", "/help\r"],
  ["a viewer", "\x0f"],
])("Ctrl+Z suspends from %s, which is there again afterwards", async (_, opens) => {
  using clock = new FakeClock();
  const { type, program, wait } = await start(clock);
  await type(opens);
  await wait(200);
  const isViewer = program.written().includes("\x1b[?1049h");
  await type("\x1a");
  await wait(200);
  const written = program.written();
  // Off, and on again.
  expect(written).toMatch(/\x1b\[\?2004l[^]*\x1b\[\?2004h[^]*(?:Help|Transcript)/);
  // Left once and entered once: leaving it twice would move the cursor.
  expect(written.split("\x1b[?1049l").length - 1).toBe(isViewer ? 1 : 0);
  expect(written.split("\x1b[?1049h").length - 1).toBe(isViewer ? 1 : 0);
  program.end.abort();
  await program.done;
  expect(program.written().includes("\x1b[?1049l")).toBe(isViewer);
});

test("Ctrl+O shows the transcript over a question, which is answered afterwards", async () => {
  using clock = new FakeClock();
  const { type, ask, answers, program, wait } = await start(clock);
  await ask();
  await wait(400);
  program.written();
  await type("\x0f");
  await wait(100);
  expect(program.written()).toContain("Transcript");
  await type("1");
  expect(answers()).toEqual([]);
  await type("q", 400);
  await type("\x1a");
  await wait(100);
  expect(program.written()).toMatch(/\x1b\[\?2004l[^]*Run this command/);
  await type("1");
  await type("\r");
  expect(answers()).toEqual(["allow"]);
});

test("the time that an answer took is not time that the agent worked", async () => {
  using clock = new FakeClock();
  const { type, ask, session, wait, program } = await start(clock);
  await type("go\r");
  await wait(10_000);
  await ask();
  await wait(60_000);
  await type("\r");
  await wait(5_000);
  program.written();
  session.say({ ...turnEnd(), duration_ms: 75_200 } as never);
  await wait(100);
  expect(program.written()).toMatch(/Worked for 15s/);
});

/** When a key is held down: terminals repeat it after a while, and then quickly. */
const heldDown = (firstMs: number, everyMs: number) => [0, firstMs, ...Array.from({ length: 30 }, () => everyMs)];

test.each([
  [225, 30],
  [375, 90],
  [500, 33],
  [660, 40],
  [1_000, 66],
])(
  "Enter, held down (first repeat after %d ms, then every %d), answers one of three questions",
  async (first, every) => {
    using clock = new FakeClock();
    const { type, ask, answers, wait } = await start(clock);
    for (const id of ["r1", "r2", "r3"]) await ask(id);
    await wait(1_000);
    for (const ms of heldDown(first, every)) {
      await wait(ms);
      await type("\r", 0);
    }
    await wait(150);
    expect(answers()).toEqual(["allow"]);
    await wait(1_000);
    await type("\r", 150);
    expect(answers()).toEqual(["allow", "allow"]);
  },
);

test.each([20, 100, 200, 400, 700])("Enter for one question after another, after %d ms, answers each", async (ms) => {
  using clock = new FakeClock();
  const { type, ask, answers, wait } = await start(clock);
  const ids = ["r1", "r2", "r3", "r4"];
  for (const id of ids) await ask(id);
  await wait(1_000);
  // Someone who sees the next question before the next press.
  for (let count = 1; count <= ids.length; count++) {
    await type("\r", 0);
    while (answers().length < count) await wait(10);
    await wait(ms);
  }
  expect(answers()).toEqual(ids.map(() => "allow"));
});

test("Enter that is still held down after the last answer does not send what stands in the prompt", async () => {
  using clock = new FakeClock();
  const { type, ask, answers, prompts, wait } = await start(clock);
  await type("half a prompt");
  await wait(2_000);
  await ask();
  await wait(1_000);
  // So that Enter is meant for the question.
  await type("\x1b[A");
  for (const ms of heldDown(500, 33)) {
    await wait(ms);
    await type("\r", 0);
  }
  await wait(150);
  expect([answers(), prompts()]).toEqual([["allow"], []]);
  await type("\r", 150);
  expect(prompts()).toEqual(["half a prompt"]);
});

test("Enter that sent the prompt, held down, does not answer the question that follows", async () => {
  using clock = new FakeClock();
  const { type, ask, answers, prompts, wait } = await start(clock);
  await type("hello");
  await type("\r", 100);
  await ask();
  for (const ms of heldDown(400, 33).slice(1)) {
    await wait(ms);
    await type("\r", 0);
  }
  await wait(150);
  expect([prompts(), answers()]).toEqual([["hello"], []]);
});

test("a key that waits belongs to what had the keys when it was pressed", async () => {
  using clock = new FakeClock();
  const { type, ask, answers, prompts, wait } = await start(clock);
  await ask("r1");
  await wait(1_000);
  await type("\r", 300);
  await type("\r", 10);
  await ask("r2");
  await wait(1_000);
  expect([answers(), prompts()]).toEqual([["allow"], []]);
  // What is typed meanwhile comes after it.
  await type("\r", 300);
  expect(answers()).toEqual(["allow", "allow"]);
  await type("next");
  await type("\r");
  expect(prompts()).toEqual(["next"]);
});

test("where the terminal reports every press, a repeated Enter answers nothing, and a pressed one at once", async () => {
  using clock = new FakeClock();
  const { type, ask, answers, program } = await start(clock);
  await type("\x1b[?0u");
  program.written();
  for (const id of ["r1", "r2", "r3"]) await ask(id);
  expect(program.written()).toContain("\x1b[=26;2u");
  // It was pressed before the question was there.
  await type("\x1b[13;1:2u");
  expect(answers()).toEqual([]);
  await type("\x1b[13;1:3u");
  await type("\x1b[13u", 0);
  for (let at = 0; at < 5; at++) await type("\x1b[13;1:2u", 5_000);
  expect(answers()).toEqual(["allow"]);
  for (const press of ["13", "13;129"]) {
    await type("\x1b[13;1:3u");
    await type(`\x1b[${press}u`);
  }
  expect(answers()).toEqual(["allow", "allow", "allow"]);
  expect(program.written()).toContain("\x1b[=26;3u");
});

test.each([155, 170, 250])(
  "empty lines at the end of what was typed, %d ms apart, answer no question that came up meanwhile",
  async (ms) => {
    using clock = new FakeClock();
    const { type, ask, answers, prompts, wait } = await start(clock);
    await type("maybe use");
    await ask();
    await type(" a branch", 40);
    for (let at = 0; at < 6; at++) await type("\r", ms);
    await wait(160);
    expect([prompts(), answers()]).toEqual([["maybe use a branch"], []]);
    await wait(400);
    await type("\r", 160);
    expect(answers()).toEqual(["allow"]);
  },
);

test.each([155, 170, 250])(
  "empty lines at the end of a prompt for the run that works, %d ms apart, answer no question that comes then",
  async (ms) => {
    using clock = new FakeClock();
    const { type, ask, answers, prompts, wait } = await start(clock);
    await type("go");
    await type("\r", 5_000);
    await type("maybe use a branch");
    await type("\r", 20);
    await ask();
    await wait(ms - 70);
    for (let at = 0; at < 4; at++) await type("\r", ms);
    await wait(160);
    expect([prompts(), answers()]).toEqual([["go", "maybe use a branch"], []]);
    await wait(400);
    await type("\r", 160);
    expect(answers()).toEqual(["allow"]);
  },
);
