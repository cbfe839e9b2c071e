// What a screen reader hears of a conversation.

import { expect, test } from "bun:test";
import { FakeSession, streamEnd, streamPiece, streamStart, turnEnd } from "./fake-session.test-support.ts";
import { FakeClock, startFakeProgram } from "./fake-terminal.test-support.ts";

test("a prompt is heard once, while it is typed", async () => {
  using clock = new FakeClock();
  const session = new FakeSession({ initialize: {}, get_session_info: {} });
  const program = startFakeProgram({ clock, session, screenReader: true });
  const wait = async () => {
    await program.settled();
    clock.advance(100);
    await program.settled();
  };
  await wait();
  for (const key of "hello there") {
    program.type(key);
    await wait();
  }
  program.written();
  program.type("\r");
  await wait();
  session.say(...streamStart("m1"), streamPiece("An answer."), ...streamEnd("m1", "An answer."), turnEnd());
  await wait();
  const heard = program.written();
  expect(heard).toContain("An answer.");
  expect(heard).not.toContain("hello there");
});
