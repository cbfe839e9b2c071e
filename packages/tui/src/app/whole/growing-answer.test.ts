// While an answer grows, most frames draw only what moves. What else changes is seen all the same.

import { expect, test } from "bun:test";
import type { Outbound } from "@keelson/protocol";
import { makeEmulator } from "@keelson/testkit/terminal";
import { assistant, FakeSession, streamPiece, streamStart, toolResult } from "./fake-session.test-support.ts";
import { FakeClock, startFakeProgram } from "./fake-terminal.test-support.ts";

async function growing(clock: FakeClock) {
  const session = new FakeSession({ cancel_async_message: { cancelled: true } });
  const program = startFakeProgram({ clock, session });
  const emulator = makeEmulator({ columns: 80, rows: 24, scrollback: 1_000 });
  let pieces = 0;
  const wait = async (ms: number) => {
    await program.settled();
    clock.advance(ms);
    await program.settled();
    let isShown = false;
    emulator.write(program.written(), () => (isShown = true));
    // The emulator uses timers, too.
    while (!isShown) clock.advance(0);
  };
  /** The answer gets a piece in each frame, and nothing else happens. */
  const grow = async (frames = 2) => {
    for (let frame = 0; frame < frames; frame++) {
      session.say(streamPiece(`word${++pieces} `));
      await wait(100);
    }
    return emulator.screen().join("\n");
  };
  await wait(50);
  program.type("go\r");
  await wait(50);
  session.say(...streamStart("m1"));
  await wait(50);
  expect(await grow(10)).toContain("word10");
  return { program, session, grow, resize: emulator.resize.bind(emulator) };
}

const system = (fields: object) => ({ type: "system", uuid: "u", session_id: "s", ...fields }) as Outbound;

test("what is typed, queued and taken back is seen while the answer grows", async () => {
  using clock = new FakeClock();
  const { program, grow } = await growing(clock);
  program.type("next words");
  expect(await grow()).toMatch(/word12[^]*❯ next words/);
  program.type("\r");
  expect(await grow()).toMatch(/⤷ next words[^]*❯ *\n[^]*1 queued/);
  program.type("\x1b[A");
  const screen = await grow();
  expect(screen).toContain("❯ next words");
  expect(screen).not.toContain("queued");
  program.end.abort();
  await program.done;
});

test("tasks, modes and their clocks are seen while the answer grows", async () => {
  using clock = new FakeClock();
  const { program, session, grow } = await growing(clock);
  const tasks = [{ task_id: "t1", task_type: "local_bash", description: "sleeps long" }];
  session.say(system({ subtype: "background_tasks_changed", tasks }));
  expect(await grow()).toMatch(/sleeps long[^]*1 shell/);
  const todos = [{ content: "One thing", status: "pending", activeForm: "Doing one thing" }];
  session.say(
    assistant("m2", { type: "tool_use", id: "t1", name: "TodoWrite", input: { todos } }),
    toolResult("t1", "ok"),
  );
  expect(await grow()).toMatch(/□ One thing\n\n +└─ sleeps long/);
  session.say(system({ subtype: "status", permissionMode: "plan" }));
  expect(await grow()).toContain("plan mode on");
  // In steps of a frame: nothing but the text and the spinner moves meanwhile.
  expect(await grow(600)).toContain("sleeps long 1m");
  program.end.abort();
  await program.done;
});

test("a hint goes away, and the spinner turns and counts, while the answer grows", async () => {
  using clock = new FakeClock();
  const { program, grow } = await growing(clock);
  program.type("\x04");
  expect(await grow()).toMatch(/again to exit/i);
  const before = await grow(50);
  expect(before).not.toMatch(/again to exit/i);
  const spinner = (screen: string) => /[◐◓◑◒] .*to interrupt/.exec(screen)?.[0];
  expect(spinner(before)).toBeDefined();
  expect(spinner(await grow(20))).not.toBe(spinner(before));
  program.end.abort();
  await program.done;
});

test("a window of another size is filled while the answer grows", async () => {
  using clock = new FakeClock();
  const { program, grow, resize } = await growing(clock);
  resize(60, 20);
  program.resize(60, 20);
  const screen = await grow(10);
  expect(screen).toContain("word20");
  expect(screen).toContain(`\n${"─".repeat(60)}\n`);
  program.end.abort();
  await program.done;
});
