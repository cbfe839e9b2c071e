import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LineSink } from "@keelson/engine";
import { until } from "../../alive.test-support.ts";
import { createTasks } from "../task-table.ts";
import { openSocket } from "./open-socket.ts";
import { watchSocket } from "./watch-socket.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "keelson-socket-")));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** A server that sends these messages to everyone who connects, and says how it was greeted. */
function server(messages: readonly (string | Uint8Array)[], { closes = false } = {}) {
  const closed: number[] = [];
  const greetings: (string | null)[] = [];
  const self = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === "/plain") return new Response("no", { status: 404 });
      greetings.push(request.headers.get("sec-websocket-protocol"));
      self.upgrade(request);
      return undefined;
    },
    websocket: {
      open(socket) {
        for (const message of messages) socket.send(message);
        if (closes) socket.close(1000);
      },
      close: (_, code) => void closed.push(code),
      message() {},
    },
  });
  return { url: `ws://127.0.0.1:${self.port}`, closed, greetings, [Symbol.dispose]: () => void self.stop(true) };
}

function watched(url: string, { protocols, limit = 100 }: { protocols?: string[]; limit?: number } = {}) {
  const got: string[] = [];
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const tasks = createTasks({ watchers: { ended: () => resolve() } });
  const lines: LineSink = {
    timeoutMs: 60_000,
    line: (text) => got.push(text) < limit,
    flush: () => void got.push("(end)"),
  };
  const { signal } = new AbortController();
  const started = watchSocket({
    source: { url, ...(protocols ? { protocols } : {}) },
    description: "feed",
    toolUseId: "t",
    lines,
    signal,
    directory: join(place, "tasks"),
    tasks,
  });
  return { started, got, tasks, over };
}

test("each message is a line, in the file too, and the close of the server ends the task", async () => {
  using feed = server(["one", "two\nlines", Buffer.from([1, 2, 3])], { closes: true });
  const w = watched(feed.url, { protocols: ["a", "b"] });
  const { id, outputPath } = await w.started;
  await w.over;
  const lines = ["one", "two", "lines", "[3 bytes of binary data]"];
  expect(w.got).toEqual([...lines, "(end)"]);
  expect(readFileSync(outputPath, "utf8")).toBe(`${lines.join("\n")}\n`);
  expect(w.tasks.get(id)).toMatchObject({
    type: "monitor",
    status: "completed",
    summary: 'Monitor "feed" stream ended',
    exitCode: null,
  });
  expect(feed.greetings).toEqual(["a, b"]);
});

test("a monitor that is stopped, or gets too much, closes the connection", async () => {
  using feed = server(["one", "two", "three"]);
  const stopped = watched(feed.url);
  const { id } = await stopped.started;
  await stopped.tasks.stop(id);
  expect(stopped.tasks.get(id)).toMatchObject({ status: "killed", summary: 'Monitor "feed" was stopped' });
  const flooded = watched(feed.url, { limit: 2 });
  const second = await flooded.started;
  await flooded.over;
  expect(flooded.got).toEqual(["one", "two", "(end)"]);
  expect(flooded.tasks.get(second.id)).toMatchObject({
    status: "failed",
    summary: 'Monitor "feed" was stopped because it printed too much',
  });
  await until(() => feed.closed.length === 2, "both connections are closed");
});

test("what is not a WebSocket, or may not be reached, is an error", async () => {
  using feed = server([]);
  await expect(watched(`${feed.url}/plain`).started).rejects.toThrow(
    "/plain: the server answered 'HTTP/1.1 404 Not Found' instead of opening a WebSocket",
  );
  for (const host of ["10.0.0.1", "169.254.169.254", "[fd00::1]"])
    await expect(watched(`ws://${host}/`).started).rejects.toThrow("monitors can reach only public addresses");
  const { signal } = new AbortController();
  const open = (url: string, address: string) =>
    openSocket({ url }, () => {}, { signal, resolve: async () => [address] });
  await expect(open("ws://example.com/", "127.0.0.1")).rejects.toThrow(
    "example.com resolves to 127.0.0.1, which is this machine: use localhost instead",
  );
  await expect(open("ws://example.com/", "::ffff:127.0.0.1")).rejects.toThrow("which is this machine");
  const { port } = new URL(feed.url);
  const named = await open(`ws://localhost:${port}/`, "127.0.0.1");
  named.close();
  expect(await named.ended).toEqual({});
});
