import { expect, test } from "bun:test";
import { prompt } from "../../stream/feed.test-support.ts";
import { assistant, FakeSession } from "./fake-session.test-support.ts";
import { FakeClock, startFakeProgram } from "./fake-terminal.test-support.ts";

test("a prompt that was sent before the earlier talk is shown comes after it", async () => {
  using clock = new FakeClock();
  const session = new FakeSession({});
  session.say(prompt("earlier words"), assistant("m1", { type: "text", text: "earlier answer" }));
  const opened = Promise.withResolvers<FakeSession>();
  const program = startFakeProgram({
    clock,
    session,
    host: { first: { kind: "continue" }, open: () => opened.promise },
  });
  await program.settled();
  program.type("new words\r");
  await program.settled();
  program.written();
  opened.resolve(session);
  for (let turn = 0; turn < 5; turn++) {
    await program.settled();
    clock.advance(500);
  }
  expect(program.written().replaceAll(/\x1b\[[\d;?]*\w/g, "")).toMatch(/earlier words[^]*earlier answer[^]*new words/);
  expect(session.sent.filter(({ type }) => type === "user")).toHaveLength(1);
  program.end.abort();
  await program.done;
});
