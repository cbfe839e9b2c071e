import { expect, test } from "bun:test";
import { openCall } from "./http-call.ts";

test("a reply that never ends is an error before it fills the memory", async () => {
  const piece = new Uint8Array(8 * 1024 * 1024);
  let [sent, closed] = [0, false];
  const body = new ReadableStream({
    pull(controller) {
      sent += piece.length;
      controller.enqueue(piece);
    },
    cancel: () => void (closed = true),
  });
  const options = { fetch: async () => new Response(body), timeoutMs: 60_000, idleTimeoutMs: 60_000 };
  const call = await openCall(new URL("http://server.test/"), {}, options, new AbortController().signal);
  const read = async () => {
    for await (const _ of call.chunks());
  };
  await expect(read()).rejects.toMatchObject({ kind: "unknown", message: expect.stringContaining("too large") });
  call.close({ finished: false });
  expect([sent < 200 * 1024 * 1024, closed]).toEqual([true, true]);
});

test("what gathered is read at once, in order, and an error only after it", async () => {
  const pieces = ["a", "b", "c", "d", "e"].map((text) => new TextEncoder().encode(text));
  const body = new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece) controller.enqueue(piece);
      else controller.error(new Error("broken"));
    },
  });
  const options = { fetch: async () => new Response(body), timeoutMs: 60_000, idleTimeoutMs: 60_000, gatherMs: 1 };
  const call = await openCall(new URL("http://server.test/"), {}, options, new AbortController().signal);
  const seen: string[] = [];
  const read = async () => {
    for await (const chunk of call.chunks(() => 1)) seen.push(new TextDecoder().decode(chunk));
  };
  await expect(read()).rejects.toMatchObject({ kind: "stream_cut" });
  expect(seen.join("")).toBe("abcde");
  call.close({ finished: false });
});

test.each([0, 1])(
  "a piece that nothing follows is passed on before the next one comes, gathered %p times",
  async (times) => {
    const sent = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => new Response(new ReadableStream({ start: (controller) => sent.resolve(controller) })),
    });
    const options = { fetch, timeoutMs: 60_000, idleTimeoutMs: 60_000, gatherMs: 1 };
    const opening = openCall(new URL(server.url), {}, options, new AbortController().signal);
    const controller = await sent.promise;
    const pieces = ["one ", "two ", "three "];
    controller.enqueue(new TextEncoder().encode(pieces.shift()));
    const call = await opening;
    const seen: string[] = [];
    for await (const chunk of call.chunks(() => times)) {
      seen.push(new TextDecoder().decode(chunk));
      // Each is sent only after the one before was passed on.
      const next = pieces.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(next));
    }
    expect(seen).toEqual(["one ", "two ", "three "]);
  },
);
