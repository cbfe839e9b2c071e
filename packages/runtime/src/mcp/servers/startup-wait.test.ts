// How long a run waits for servers that are starting, by a clock that the test moves.

import { expect, test } from "bun:test";
import { McpError, NeedsSignInError, type McpConnection } from "@keelson/mcp";
import type { McpScope } from "@keelson/protocol";
import { serverFromConfiguration, serversFromInitialize, type NamedServer } from "./server-config.ts";
import { McpServers } from "./servers.ts";
import type { Clock } from "./waits.ts";

type Behavior = "hangs" | "fails" | "wants sign-in" | number;

const on = new AbortController().signal;
const HTTP = { type: "http", url: "http://localhost/", headers: {} } as const;
const STDIO = { type: "stdio", command: "x", args: [], env: {} } as const;

const at = (name: string, scope: McpScope, { alwaysLoad = false, config = STDIO as typeof STDIO | typeof HTTP } = {}) =>
  serverFromConfiguration({ name, scope, config: { ...config, alwaysLoad }, written: {} });
const inClient = (name: string) => serversFromInitialize({ sdkMcpServers: [name] })[0]!;

const BLOCKING = { MCP_CONNECTION_NONBLOCKING: "0" };
const bound = (ms: string) => ({ CLAUDE_CODE_MCP_STARTUP_WAIT_MS: ms });

const rows: readonly {
  readonly of: string;
  readonly servers: Readonly<Record<string, Behavior>>;
  readonly as?: (name: string) => NamedServer;
  readonly env?: Readonly<Record<string, string>>;
  readonly waits: number;
  readonly pending?: readonly string[];
}[] = [
  { of: "servers that answer at once", servers: { a: 0, b: 0 }, waits: 0 },
  { of: "servers that fail", servers: { a: "fails", b: "fails" }, waits: 0 },
  { of: "a server that wants a sign-in", servers: { a: "wants sign-in" }, waits: 0 },
  { of: "a slow server, until it has answered", servers: { a: 700, b: 0 }, waits: 700 },
  { of: "several, until the slowest has answered", servers: { a: 700, b: 1_900, c: 300 }, waits: 1_900 },
  ...(["user", "local", "project", "plugin", "enterprise", "managed", "agent"] as const).map((scope) => ({
    of: `a server of scope ${scope} that hangs`,
    servers: { a: "hangs" } as const,
    as: (name: string) => at(name, scope),
    waits: 2_000,
    pending: ["a"],
  })),
  {
    of: "an address that hangs",
    servers: { a: "hangs" },
    as: (name) => at(name, "user", { config: HTTP }),
    waits: 2_000,
    pending: ["a"],
  },
  {
    of: "a server of --mcp-config that hangs",
    servers: { a: "hangs" },
    as: (name) => at(name, "dynamic"),
    waits: 10_000,
    pending: ["a"],
  },
  { of: "a slow server of --mcp-config", servers: { a: 7_000 }, as: (name) => at(name, "dynamic"), waits: 7_000 },
  { of: "a server of the client that hangs", servers: { a: "hangs" }, as: inClient, waits: 10_000, pending: ["a"] },
  {
    of: "a server with alwaysLoad that hangs",
    servers: { a: "hangs" },
    as: (name) => at(name, "user", { alwaysLoad: true }),
    waits: 10_000,
    pending: ["a"],
  },
  {
    of: "one of a file that hangs beside a slow one of --mcp-config",
    servers: { file: "hangs", flag: 5_000 },
    as: (name) => at(name, name === "flag" ? "dynamic" : "user"),
    waits: 5_000,
    pending: ["file"],
  },
  {
    of: "one of a file that hangs beside a fast one of --mcp-config",
    servers: { file: "hangs", flag: 100 },
    as: (name) => at(name, name === "flag" ? "dynamic" : "user"),
    waits: 2_000,
    pending: ["file"],
  },
  {
    of: "the bound of the variable, for files",
    servers: { a: "hangs" },
    env: bound("300"),
    waits: 300,
    pending: ["a"],
  },
  {
    of: "the bound of the variable, for flags",
    servers: { a: "hangs" },
    as: (name) => at(name, "dynamic"),
    env: bound("300"),
    waits: 300,
    pending: ["a"],
  },
  { of: "the bound of the variable, if it is longer", servers: { a: 20_000 }, env: bound("60000"), waits: 20_000 },
  { of: "no bound at all", servers: { a: "hangs" }, as: inClient, env: bound("0"), waits: 0, pending: ["a"] },
  ...["", " ", "-1", "soon", "NaN"].map((value) => ({
    of: `a bound that is no number: "${value}"`,
    servers: { a: "hangs" } as const,
    env: bound(value),
    waits: 2_000,
    pending: ["a"],
  })),
  {
    of: "MCP_CONNECTION_NONBLOCKING=1",
    servers: { a: "hangs" },
    env: { MCP_CONNECTION_NONBLOCKING: "1" },
    waits: 2_000,
    pending: ["a"],
  },
  { of: "MCP_CONNECTION_NONBLOCKING=0", servers: { a: "hangs" }, env: BLOCKING, waits: 7_000, pending: ["a"] },
  {
    of: "MCP_CONNECTION_NONBLOCKING=0 with its own time",
    servers: { a: "hangs" },
    env: { ...BLOCKING, MCP_CONNECT_TIMEOUT_MS: "1000" },
    waits: 3_000,
    pending: ["a"],
  },
  {
    of: "MCP_CONNECTION_NONBLOCKING=0, for flags",
    servers: { a: "hangs" },
    as: (name) => at(name, "dynamic"),
    env: BLOCKING,
    waits: 10_000,
    pending: ["a"],
  },
  {
    of: "MCP_CONNECTION_NONBLOCKING=0 beside the bound",
    servers: { a: "hangs" },
    env: { ...BLOCKING, ...bound("100") },
    waits: 100,
    pending: ["a"],
  },
  {
    of: "an address that refuses",
    servers: { a: "fails" },
    as: (name) => at(name, "user", { config: HTTP }),
    waits: 0,
  },
];

test.each(rows)(
  "a run waits for $of",
  async ({ servers, as = (name) => at(name, "user"), env = {}, waits, pending = [] }) => {
    const session = world(servers, env);
    session.servers.configure(Object.keys(servers).map(as), []);
    session.servers.start();
    expect(await session.waited(session.servers.ready(on))).toBe(waits);
    expect(session.servers.connecting).toEqual(pending);
    // The clock of these servers is over.
    expect(session.servers.ready(on)).toBeUndefined();
    await session.servers.close();
  },
);

test("fifty servers of which five hang: all others are there, by the same clock", async () => {
  const names = Array.from({ length: 50 }, (_, number) => `s${number}`);
  const hang = new Set(["s0", "s1", "s2", "s20", "s49"]);
  const session = world(Object.fromEntries(names.map((name) => [name, hang.has(name) ? "hangs" : 10])), {});
  session.servers.configure(
    names.map((name) => at(name, "user")),
    [],
  );
  session.servers.start();
  expect(await session.waited(session.servers.ready(on))).toBe(2_000);
  expect(session.servers.connecting).toEqual([...hang]);
  await session.servers.close();
});

test("the time that passes before the first prompt counts", async () => {
  const session = world({ a: "hangs" }, {});
  session.servers.configure([at("a", "user")], []);
  session.servers.start();
  session.move(1_500);
  expect(await session.waited(session.servers.ready(on))).toBe(500);
  await session.servers.close();
});

test("an interrupt ends the wait; the next prompt waits for the rest of the time", async () => {
  const session = world({ a: "hangs" }, {});
  session.servers.configure([at("a", "user")], []);
  session.servers.start();
  const stop = new AbortController();
  const first = session.servers.ready(stop.signal);
  session.move(600);
  stop.abort();
  await first;
  expect(await session.waited(session.servers.ready(on))).toBe(1_400);
  await session.servers.close();
});

test("a server that comes later has a clock of its own, and one that is removed is not waited for", async () => {
  const session = world({ a: "hangs", b: 500 }, {});
  session.servers.configure([at("a", "user")], []);
  session.servers.start();
  session.move(5_000);
  session.servers.add([inClient("b")]);
  expect(await session.waited(session.servers.ready(on))).toBe(500);
  session.servers.add([inClient("a2")]);
  const waiting = session.servers.ready(on);
  session.servers.remove("a2");
  expect(await session.waited(waiting)).toBe(0);
  await session.servers.close();
});

test("one that the user connects again is waited for again", async () => {
  const session = world({ a: "hangs" }, {});
  session.servers.configure([at("a", "user")], []);
  session.servers.start();
  await flushed();
  session.move(5_000);
  expect(session.servers.ready(on)).toBeUndefined();
  session.behave("a", 300);
  void session.servers.get("a")!.reconnect();
  await flushed();
  expect(await session.waited(session.servers.ready(on))).toBe(300);
  await session.servers.close();
});

test("prompts of a server belong to what a run waits for", async () => {
  const session = world({ a: 100 }, {}, { prompts: 400 });
  session.servers.configure([at("a", "user")], []);
  session.servers.start();
  expect(await session.waited(session.servers.ready(on))).toBe(500);
  expect(session.servers.commands()).toMatchObject([{ name: "mcp__a__greet" }]);
  await session.servers.close();
});

test("the log names who was waited for, how long, and who is missing", async () => {
  const session = world({ a: 250, b: "hangs", c: 0 }, {});
  session.servers.configure([at("a", "user"), at("b", "user"), at("c", "user")], []);
  session.servers.start();
  await session.waited(session.servers.ready(on));
  expect(session.log).toContain("Waited 2.000 s for a, b, c; still connecting: b");
  await session.servers.close();
});

/** Servers that behave so, and a clock that moves only when everything else is done. */
function world(
  behaviors: Readonly<Record<string, Behavior>>,
  env: Readonly<Record<string, string>>,
  { prompts = 0 } = {},
) {
  const known: Record<string, Behavior> = { ...behaviors };
  const log: string[] = [];
  let now = 0;
  const sleepers = new Set<{ readonly until: number; wake(): void }>();
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const sleeper = { until: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal.addEventListener("abort", () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      }),
  };
  const move = (ms: number) => {
    now += ms;
    for (const sleeper of sleepers) if (sleeper.until <= now && sleepers.delete(sleeper)) sleeper.wake();
  };
  const servers = new McpServers({
    env: () => env,
    clock,
    log: (text) => log.push(text()),
    connect: async ({ name }) => {
      const closing = new AbortController();
      const connection = {
        status: "pending",
        facts: { hasPrompts: prompts > 0 },
        tools: [],
        error: undefined as string | undefined,
        failure: undefined as unknown,
        async open() {
          const behavior = known[name] ?? "hangs";
          const failed = behavior === "fails" || behavior === "wants sign-in";
          if (behavior === "hangs")
            await new Promise((_, reject) => closing.signal.addEventListener("abort", reject)).catch(() => undefined);
          else if (!failed && behavior > 0) await clock.sleep(behavior, closing.signal).catch(() => undefined);
          connection.status = failed || closing.signal.aborted ? "failed" : "connected";
          if (failed)
            connection.failure = behavior === "fails" ? new McpError(-32000, "no") : new NeedsSignInError("sign in");
        },
        async listPrompts() {
          await clock.sleep(prompts, closing.signal);
          return [{ name: "greet", arguments: [] }];
        },
        close: async () => closing.abort(),
      };
      return connection as unknown as McpConnection;
    },
  });
  return {
    servers,
    log,
    move,
    behave: (name: string, behavior: Behavior) => void (known[name] = behavior),
    /** Moves the clock until the work is done; how far. */
    async waited(work: Promise<void> | undefined): Promise<number> {
      const since = now;
      let isDone = work === undefined;
      void work?.then(() => (isDone = true));
      for (await flushed(); !isDone; await flushed()) {
        const next = Math.min(...[...sleepers].map(({ until }) => until));
        if (next === Infinity) throw new Error("Nothing is left that would end the wait");
        move(next - now);
      }
      return now - since;
    },
  };
}

/** Everything that can happen without time has happened. */
async function flushed(): Promise<void> {
  for (let round = 0; round < 10; round++) await new Promise((resolve) => setImmediate(resolve));
}
