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
