import { expect, test } from "bun:test";
import { asks } from "../../dialogs/dialog.test-support.ts";
import { FakeSession } from "./fake-session.test-support.ts";
import { FakeClock, startFakeProgram } from "./fake-terminal.test-support.ts";

async function openDoctor(clock: FakeClock) {
  const checked = Promise.withResolvers<string>();
  const session = new FakeSession({ get_settings: { effective: {} } });
  const program = startFakeProgram({ clock, session, host: { doctor: () => checked.promise } });
  const wait = async (ms = 50) => {
    await program.settled();
    clock.advance(ms);
    await program.settled();
  };
  const type = async (keys: string) => {
    program.type(keys);
    await wait();
  };
  await wait();
  await type("/doctor\r");
  program.written();
  /** What was written until then. The parts of a command are loaded when it is first typed. */
  const shows = async (text: string) => {
    let written = "";
    for (let turn = 0; turn < 20 && !written.includes(text); turn++) {
      await wait();
      written += program.written();
    }
    expect(written).toContain(text);
    return written;
  };
  return { program, session, checked, wait, type, shows };
}

test("a panel that takes long says so, and the keys meanwhile are not for the prompt or the panel", async () => {
  using clock = new FakeClock();
  const { program, session, checked, wait, type, shows } = await openDoctor(clock);
  await shows("One moment");
  await type("typed ahead\r");
  checked.resolve("All well");
  await wait();
  expect(program.written()).toContain("All well");
  await type("\x1b");
  await wait(1_000);
  program.written();
  await type("now\r");
  expect(session.sent.flatMap((input) => (input.type === "user" ? [input.message.content] : []))).toEqual(["now"]);
});

test("Esc does not wait, and the panel does not come later", async () => {
  using clock = new FakeClock();
  const { program, checked, wait, type, shows } = await openDoctor(clock);
  await shows("One moment");
  await type("\x1b");
  await shows("Cancelled /doctor");
  checked.resolve("All well");
  await wait();
  await type("x");
  expect(program.written()).not.toContain("All well");
});

test("a panel that was waited for does not come over a question", async () => {
  using clock = new FakeClock();
  const { program, session, checked, wait, type, shows } = await openDoctor(clock);
  await shows("One moment");
  session.say({ ...asks("Bash", { command: "ls" }), request_id: "r1" });
  await shows("ls");
  await wait(1_000);
  checked.resolve("All well");
  await wait();
  expect(program.written()).not.toContain("All well");
  await type("1");
  await type("\r");
  expect(session.sent).toContainEqual(
    expect.objectContaining({
      type: "control_response",
      response: expect.objectContaining({ request_id: "r1", response: expect.objectContaining({ behavior: "allow" }) }),
    }),
  );
  expect(await shows("All well")).not.toContain("One moment");
});

test("a panel that is there at once shows nothing before", async () => {
  using clock = new FakeClock();
  const { checked, shows } = await openDoctor(clock);
  checked.resolve("All well");
  expect(await shows("All well")).not.toContain("One moment");
});
