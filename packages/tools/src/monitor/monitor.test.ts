import { expect, test } from "bun:test";
import { validateInput, type ToolContext } from "@keelson/engine";
import { monitorTool, type MonitorInput } from "./monitor.ts";

const starts: unknown[] = [];
const monitor = monitorTool({
  async start(source, options) {
    starts.push({ source, options });
    return { id: "m1" };
  },
});
const context = { workspace: { cwd: "/p" } } as ToolContext;
const TICKS: MonitorInput = { description: "ticks", timeout_ms: 10_000, command: "tick" };
const FEED: MonitorInput = { description: "feed", timeout_ms: 5_000, ws: { url: "wss://e.com/x" } };

test("a command is judged as a command, and runs in the folder it was judged in", async () => {
  const place = { workspace: { cwd: "/p" } };
  expect(await monitor.access(TICKS, place as ToolContext)).toEqual({ kind: "command", command: "tick", cwd: "/p" });
  place.workspace.cwd = "/elsewhere";
  const output = await monitor.run({ ...TICKS, timeout_ms: 9_999_999 }, place as ToolContext);
  expect(output).toEqual({ taskId: "m1", timeoutMs: 1_800_000 });
  expect(starts.splice(0)).toEqual([
    { source: { command: "tick", cwd: "/p" }, options: { description: "ticks", timeoutMs: 1_800_000 } },
  ]);
  expect(monitor.show({ taskId: "m1", timeoutMs: 10_000 })).toStartWith(
    "Monitor started (task m1, expires in 10s unless the source ends first; ",
  );
});

test("a WebSocket is judged as an address", async () => {
  expect(await monitor.access(FEED, context)).toEqual({ kind: "url", url: "wss://e.com/x" });
  await monitor.run(FEED, context);
  expect(starts.splice(0)).toEqual([
    { source: { url: "wss://e.com/x" }, options: { description: "feed", timeoutMs: 5_000 } },
  ]);
});

test("the time is 300 s unless the call names another, and at least 1 s", () => {
  expect(monitor.input.json["required"]).toEqual(["description", "timeout_ms"]);
  const { timeout_ms: _, ...silent } = TICKS;
  expect(validateInput(monitor, silent)).toEqual({ ok: true, input: { ...silent, timeout_ms: 300_000 } });
  expect(validateInput(monitor, { ...TICKS, timeout_ms: 999 }).ok).toBe(false);
});

test.each([
  [{ command: "tick", ws: { url: "ws://e.com" } }, "Give either command or ws"],
  [{}, "Give either command or ws"],
  [{ ws: { url: "https://e.com" } }, "must start with ws:// or wss://"],
  [{ ws: { url: "nonsense" } }, "must start with ws:// or wss://"],
  [{ ws: { url: "ws://user:pw@e.com" } }, "cannot have a password"],
  [{ ws: { url: "ws://e.com", protocols: ["a\r\nX: y"] } }, "is not a valid subprotocol"],
])("%j is rejected before anything is asked", (source, message) => {
  expect(() => monitor.check!({ description: "x", timeout_ms: 5_000, ...source }, context)).toThrow(message);
});
