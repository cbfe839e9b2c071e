import { expect, test } from "bun:test";
import fc from "fast-check";
import { once } from "node:events";
import { collect, fakeProgram, type FakeProgram } from "../fake-program.test-support.ts";
import { ControlConnection, PAUSE_ABOVE, GIVE_UP_ABOVE, type Host } from "./connection.ts";

function connected(host: Partial<Host> = {}) {
  const program = fakeProgram();
  const connection = new ControlConnection({ answer: async () => ({}), onMessage: () => true, ...host });
  const force = new AbortController();
  void connection.start(() => ({
    process: program.spawn({ command: "keelson", args: [], env: {}, signal: force.signal }),
    command: "keelson",
    force,
  }));
  return { program, connection };
}

const piece = (number: number, text = "") => ({ type: "stream_event", number, text });

/** Settles when the program is no longer read. */
async function paused({ stdout }: FakeProgram): Promise<void> {
  if (!stdout.isPaused()) await once(stdout, "pause");
}

test("requests in both directions are each answered exactly once, in any order", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ ours: fc.boolean(), delay: fc.nat(3), refuse: fc.boolean() }), { maxLength: 60 }),
      async (plan) => {
        const { program, connection } = connected({
          answer: async (request) => {
            const { number, delay, refuse } = request as any;
            for (let tick = 0; tick < Number(delay); tick++) await Promise.resolve();
            if (refuse) throw new Error(`no ${number}`);
            return { number };
          },
        });
        const ours: Promise<unknown>[] = [];
        for (const [number, { ours: isOurs, delay, refuse }] of plan.entries()) {
          const request = { subtype: "s", number, delay, refuse };
          if (!isOurs) program.ask(`p${number}`, request);
          else
            ours.push(
              connection.request(request).then(
                ({ response }) => response,
                ({ message }) => message,
              ),
            );
        }
        const count = ours.length;
        for (let seen = 0; seen < count; seen++) {
          const { request_id, request } = await program.request("s");
          if (request.refuse) program.refuse(request_id, `no ${request.number}`);
          else program.answer(request_id, request.number);
        }
        const expected = (isOurs: boolean) => [...plan.entries()].filter(([, { ours: mine }]) => mine === isOurs);
        expect(await Promise.all(ours)).toEqual(
          expected(true).map(([number, { refuse }]) => (refuse ? `no ${number}` : number)),
        );
        const theirs = expected(false);
        const answered = () => program.heard.filter(({ type }) => type === "control_response");
        if (theirs.length > 0) await program.hears(() => answered().length === theirs.length);
        expect(
          new Map(answered().map(({ response }) => [response.request_id, response.response?.number ?? response.error])),
        ).toEqual(new Map(theirs.map(([number, { refuse }]) => [`p${number}`, refuse ? `no ${number}` : number])));
        connection.close();
      },
    ),
    { numRuns: 30 },
  );
});

test("each of ten thousand concurrent requests gets its own answer", async () => {
  const { program, connection } = connected();
  const numbers = Array.from({ length: 10_000 }, (_, number) => number);
  const replies = numbers.map((number) => connection.request({ subtype: "s", number }));
  await program.hears(({ request }) => request?.number === 9_999);
  for (const { request_id, request } of program.heard.toReversed()) program.answer(request_id, request.number);
  expect((await Promise.all(replies)).map(({ response }) => response)).toEqual(numbers);
  connection.close();
});

test("a withdrawn question aborts, and its late answer is still sent", async () => {
  const seen: string[] = [];
  const { program, connection } = connected({
    answer: (_, { signal }) =>
      new Promise((resolve) => {
        seen.push("asked");
        signal.addEventListener("abort", () => {
          seen.push("withdrawn");
          resolve({ late: true });
        });
      }),
  });
  program.ask("q", { subtype: "can_use_tool" });
  // The same question delivered twice is one question.
  program.ask("q", { subtype: "can_use_tool" });
  program.say({ type: "control_cancel_request", request_id: "q" });
  const { response } = await program.hears(({ type }) => type === "control_response");
  expect([seen, response]).toEqual([
    ["asked", "withdrawn"],
    { subtype: "success", request_id: "q", response: { late: true } },
  ]);
  connection.close();
});

test("an answer that cannot be JSON is an error, not silence", async () => {
  const { program, connection } = connected({ answer: async () => ({ big: 1n }) });
  program.ask("q", { subtype: "hook_callback" });
  const { response } = await program.hears(({ type }) => type === "control_response");
  expect(response).toMatchObject({ subtype: "error", request_id: "q" });
  connection.close();
});

test("a reader that does not read pauses the program, and everything arrives once it does", async () => {
  const { program, connection } = connected();
  const total = 20_000;
  const written = flood(program, total);
  await paused(program);
  expect(connection.messages.length).toBeLessThan(total);

  const read = collect({ [Symbol.asyncIterator]: () => connection.messages });
  await written;
  program.exit(0);
  expect((await read).map((message: any) => message.number)).toEqual(
    Array.from({ length: total }, (_, number) => number),
  );
});

test("large messages count by size", async () => {
  const { program, connection } = connected();
  for (let number = 0; number < 20; number++) program.say(piece(number, "x".repeat(PAUSE_ABOVE.characters / 8)));
  await paused(program);
  expect(connection.messages.length).toBeLessThan(12);
  connection.close();
});

test("an answer is read even if the reader waits for it instead of reading messages", async () => {
  const { program, connection } = connected();
  void flood(program, PAUSE_ABOVE.messages * 4);
  await paused(program);

  const reply = connection.request({ subtype: "interrupt" });
  const { request_id } = await program.request("interrupt");
  program.answer(request_id, { still_queued: [] });
  expect((await reply).response).toEqual({ still_queued: [] });
  await paused(program);
  connection.close();
});

test("past the limit, a request fails instead of using more memory", async () => {
  const { program, connection } = connected();
  const reply = connection.request({ subtype: "interrupt" }).catch((error: unknown) => error);
  const text = "x".repeat(8 * 1024 * 1024);
  for (let size = 0; size <= GIVE_UP_ABOVE.characters; size += text.length) program.say(piece(size, text));
  const error: any = await reply;
  expect([error.errorClass, error.errorCode]).toEqual(["control_request_failed", "messages_unread"]);
  await paused(program);
  connection.close();
});

test("what the host must settle comes before the message and all that follow", async () => {
  const order: string[] = [];
  const { program, connection } = connected({
    settle: async ({ type, number }) => {
      if (type === "result") for (let tick = 0; tick < 50; tick++) await Promise.resolve();
      order.push(`settled ${number}`);
    },
    onMessage: ({ number }) => order.push(`shown ${number}`) > 0,
    beforeEnd: async () => void order.push("end"),
  });
  program.say({ type: "result", number: 1 }, piece(2));
  program.exit(0);
  await connection.ended;
  expect(order).toEqual(["settled 1", "shown 1", "settled 2", "shown 2", "end"]);
});

test("while held, only requests with `ahead` are sent", async () => {
  const { program, connection } = connected();
  connection.hold();
  void connection.send({ type: "user", text: "later" });
  connection.request({ subtype: "claim" }, { ahead: true }).catch(() => undefined);
  connection.endInput();
  await program.request("claim");
  connection.letGo();
  await program.inputEnded;
  expect(program.heard.map(({ type }) => type)).toEqual(["control_request", "user"]);
  connection.close();
});

/** Writes many small messages as a program does: until the pipe is full, then when there is room. */
async function flood({ stdout }: FakeProgram, count: number): Promise<void> {
  for (let number = 0; number < count; number++) {
    if (stdout.write(`${JSON.stringify(piece(number))}\n`)) continue;
    await new Promise<void>((resolve) => stdout.once("drain", resolve));
  }
}
