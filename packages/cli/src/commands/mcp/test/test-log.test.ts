import { expect, test } from "bun:test";
import { ProtocolLog } from "./test-log.ts";

test("each request is timed from when it was sent to its answer", () => {
  let now = 100;
  const log = new ProtocolLog(() => now);
  const after = (ms: number, direction: "sent" | "received", message: object) => {
    now += ms;
    log.add(direction, message);
  };
  after(1, "sent", { id: 0, method: "initialize" });
  after(5, "received", { method: "notifications/message" });
  after(2, "sent", { id: 1, method: "tools/call" });
  after(1, "received", { id: 0, method: "roots/list" });
  // Some servers send both fields.
  after(3, "received", { id: 0, result: {}, error: null });
  after(4, "received", { id: 1, error: { code: 1 } });
  after(4, "received", { id: 1, result: {} });
  expect(log.timings).toEqual([
    { method: "initialize", ms: 11, ok: true },
    { method: "tools/call", ms: 8, ok: false },
  ]);
  expect(log.messages.map(({ at, direction, bytes }) => [at, direction, bytes])).toEqual([
    [1, "sent", 30],
    [6, "received", 34],
    [8, "sent", 30],
    [9, "received", 30],
    [12, "received", 33],
    [16, "received", 27],
    [20, "received", 20],
  ]);
});

test("the log is limited, whatever the server sends", () => {
  const log = new ProtocolLog(() => 0);
  log.add("received", { text: "é".repeat(1_000_000) });
  let deep: unknown = 1;
  for (let n = 0; n < 100_000; n++) deep = [deep];
  log.add("received", deep);
  for (let n = 0; n < 5_000; n++) log.add("received", "x");
  expect({ kept: log.messages.length, dropped: log.dropped }).toEqual({ kept: 1_000, dropped: 4_002 });
  expect(log.messages[0]!.text.length).toBeLessThan(5_000);
  expect(log.messages[0]!.bytes).toBe(2_000_011);
});
