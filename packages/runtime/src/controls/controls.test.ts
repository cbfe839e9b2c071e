import { expect, test } from "bun:test";
import type { AttachOptions, ControlRequest, Outbound } from "@keelson/protocol";
import { Clients, type StreamClient } from "../stream/clients.ts";
import { ClientRequests } from "./client-requests.ts";
import { madeLate } from "../made-late.ts";
import { Controls } from "./controls.ts";
import type { ControlTargets } from "./targets.ts";

/** Only what these tests use; anything else throws, and so becomes an error reply. */
function controls(more: Partial<ControlTargets> = {}) {
  const sent: Outbound[] = [];
  let ids = 0;
  const targets: Partial<ControlTargets> = {
    sessionId: "s",
    send: (message) => void sent.push(message),
    show: (signal) => void sent.push(signal as Outbound),
    newId: () => `id-${ids++}`,
    queued: () => [],
    interrupt: () => undefined,
    permissions: {
      setMode: () => undefined,
      refusal: () => undefined,
      rules: [],
      mayRead: () => true,
      warm: async () => undefined,
      accept: async () => [],
    },
    setModel: async (name) => name ?? "default-model",
    ...more,
  };
  const clients = new Clients({ newId: targets.newId! });
  const client = attached(clients, targets.send!);
  const requests = new ClientRequests({ clients, newId: targets.newId! });
  const target = new Controls(
    () => targets as ControlTargets,
    madeLate(() => requests),
    () => undefined,
  );
  return { target, requests, clients, client, sent };
}

/** A client whose messages go to `take` as they are sent. */
function attached(clients: Clients, take: ControlTargets["send"], options: AttachOptions = {}): StreamClient {
  return Object.assign(clients.attach(options), { tell: take });
}

const request = (request_id: string, subtype: string, more: object = {}) => ({
  type: "control_request" as const,
  request_id,
  request: { subtype, ...more } as ControlRequest["request"],
});
const success = (request_id: string, response?: unknown) => ({
  type: "control_response",
  response: { subtype: "success", request_id, ...(response === undefined ? {} : { response }) },
});
const HOOK_0 = { callbackId: "hook_0", client: "client-1" };
const HOOK_1 = { callbackId: "hook_1", client: "client-1" };
const replies = (sent: readonly Outbound[]) => sent.filter(({ type }) => type === "control_response") as any[];

test("an interrupt cancels the open question, then replies with the queued prompts", async () => {
  const running = new AbortController();
  const { target, requests, client, sent } = controls({ queued: () => ["p1"], interrupt: () => running.abort() });
  const asked = requests.ask({ subtype: "can_use_tool" }, running.signal);

  target.handle(request("r1", "interrupt"), client);

  expect(sent).toEqual([
    { type: "control_request", request_id: "id-0", request: { subtype: "can_use_tool" } },
    { type: "control_cancel_request", request_id: "id-0" },
    success("r1", { still_queued: ["p1"] }) as Outbound,
  ]);
  expect(await asked).toEqual({ subtype: "error", request_id: "id-0", error: "the run was interrupted" });
});

test("after the client disconnects, all questions end with an error, open ones too", async () => {
  const { clients, requests, sent } = controls();
  const { signal } = new AbortController();
  const open = requests.ask({ subtype: "can_use_tool" }, signal);
  const hook = requests.callHook(HOOK_0, { tool_use_id: "t1" }, signal);
  clients.areSilent = true;
  requests.close();
  const error = "Tool permission stream closed before response received";
  expect(await open).toMatchObject({ subtype: "error", error });
  expect(await hook).toMatchObject({ subtype: "error", error: "The client closed the stream before it answered" });
  expect(await requests.ask({ subtype: "can_use_tool" }, signal)).toMatchObject({ subtype: "error", error });
  expect(sent).toHaveLength(2);
});

test("a question that was cancelled before it was asked is not sent", async () => {
  const { requests, sent } = controls();
  expect(await requests.ask({ subtype: "can_use_tool" }, AbortSignal.abort())).toMatchObject({ subtype: "error" });
  expect(sent).toEqual([]);
});

test("callHook() sends the id of the call, or a new id without a call", async () => {
  const { requests, client, sent } = controls();
  const { signal } = new AbortController();
  void requests.callHook(HOOK_0, { hook_event_name: "PreToolUse", tool_use_id: "toolu_1" }, signal);
  const stop = requests.callHook(HOOK_1, { hook_event_name: "Stop" }, signal);
  expect(sent.map((message) => (message as any).request.tool_use_id)).toEqual(["toolu_1", "id-1"]);
  requests.answered(success("id-2", { a: 1 }) as never, client);
  expect(await stop).toEqual({ subtype: "success", request_id: "id-2", response: { a: 1 } });
});

test("mcpServer() exchanges messages with a server in the client", async () => {
  const { target, requests, client, sent } = controls();
  const { signal } = new AbortController();
  const [calc, other] = [requests.mcpServer(client.id, "calc"), requests.mcpServer(client.id, "other")];
  const heard: unknown[] = [];
  const stop = calc.listen((message) => void heard.push(message));
  const message = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const [answer, refused] = [calc.send(message, signal), other.send(message, signal)];
  expect((sent[0] as any).request).toEqual({ subtype: "mcp_message", server_name: "calc", message });

  const mcp_response = { jsonrpc: "2.0", id: 1, result: {} };
  requests.answered(success("id-0", { mcp_response }) as never, client);
  const error = "SDK MCP server not found: other";
  requests.answered({ type: "control_response", response: { subtype: "error", request_id: "id-1", error } }, client);
  expect(await answer).toEqual(mcp_response);
  expect(refused).rejects.toThrow(error);

  const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  target.handle(request("n1", "mcp_message", { server_name: "calc", message: changed }), client);
  stop();
  target.handle(request("n2", "mcp_message", { server_name: "calc", message: changed }), client);
  expect(heard).toEqual([changed]);
  expect(replies(sent)).toEqual([success("n1"), success("n2")]);
});

test("a request that the client cancelled gets no reply, but what it did is shown", async () => {
  const started = Promise.withResolvers<AbortSignal>();
  const release = Promise.withResolvers<string>();
  const { target, client, sent } = controls({
    setModel: () => {
      started.resolve(new AbortController().signal);
      return release.promise;
    },
  });
  target.handle(request("r1", "set_model", { model: "m" }), client);
  target.handle(request("r2", "set_permission_mode", { mode: "plan" }), client);
  target.cancel("r1", client);
  target.cancel("nobody", client);
  await started.promise;
  release.resolve("m");
  await target.changed();
  expect(replies(sent)).toEqual([success("r2", { mode: "plan" })]);
});

test("what a client has asked for and leaves before it begins is not done", async () => {
  const release = Promise.withResolvers<string>();
  const set: string[] = [];
  const { target, clients, sent } = controls({
    setModel: (name) => {
      set.push(name ?? "");
      return release.promise;
    },
    setClientHooks: (client) => void set.push(client),
  });
  const other = attached(clients, (message) => void sent.push(message));
  clients.left = (client) => target.left(client);
  target.handle(request("r1", "set_model", { model: "m" }), other);
  target.handle(request("r2", "initialize", { hooks: {} }), other);
  const third = attached(clients, (message) => void sent.push(message));
  target.handle(request("r1", "set_model", { model: "of the third" }), third);
  await import("./handlers/models.ts");
  clients.detach(other);
  target.handle(request("r3", "initialize", { hooks: {} }), other);
  release.resolve("m");
  await target.changed();
  expect(set.at(-1)).toBe("of the third");
  expect(set).not.toContain(other.id);
  expect(replies(sent).map(({ response }) => response.request_id)).toEqual(["r1"]);
});

test("a run waits for changes in progress", async () => {
  const release = Promise.withResolvers<string>();
  const { target, client } = controls({ setModel: () => release.promise });
  target.handle(request("r1", "set_model", { model: "m" }), client);
  let waited = false;
  const ready = target.changed().then(() => (waited = true));
  await Promise.resolve();
  expect(waited).toBe(false);
  release.resolve("m");
  expect(await ready).toBe(true);
});

test("anything thrown in a handler becomes a reply", async () => {
  const { target, client, sent } = controls({
    setModel: () => Promise.reject(new Error("no such model")),
    cancelQueued: () => {
      throw new Error("broken");
    },
    tasks: {} as ControlTargets["tasks"],
  });
  target.handle(request("r1", "set_model", { model: "m" }), client);
  target.handle(request("r2", "cancel_async_message", { message_uuid: "u" }), client);
  target.handle(request("r3", "stop_task"), client);
  await target.finish();
  const errors = Object.fromEntries(replies(sent).map(({ response }) => [response.request_id, response.error]));
  expect(errors).toEqual({ r1: "no such model", r2: "broken", r3: 'stop_task: "task_id" must be a string' });
});

test("a session that ends at once does not wait", async () => {
  const { target, client, sent } = controls({ setModel: () => new Promise(() => undefined) });
  target.handle(request("r1", "set_model", { model: "m" }), client);
  target.close();
  await target.finish();
  expect(replies(sent)).toEqual([]);
});

test("ten thousand requests in any order each get exactly one reply, and none after they are cancelled", async () => {
  const random = seeded(20_26);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const later = async () => {
    for (let turns = Math.floor(random() * 4); turns > 0; turns--)
      await new Promise((resolve) => setImmediate(resolve));
  };
  const { target, requests, client, sent } = controls({
    setModel: async (name) => {
      await later();
      if (random() < 0.1) throw new Error("refused");
      return name ?? "m";
    },
    cancelQueued: () => [],
    tasks: {
      stop: async () => (await later(), random() < 0.5),
      get: () => undefined,
    } as unknown as ControlTargets["tasks"],
  });
  const kinds: readonly [subtype: string, more: object][] = [
    ["set_model", { model: "a" }],
    ["set_permission_mode", { mode: "plan" }],
    ["set_permission_mode", { mode: "bogus" }],
    ["interrupt", {}],
    ["stop_task", { task_id: "b1" }],
    ["get_task_output", { task_id: "b1" }],
    ["cancel_async_message", { message_uuid: "u" }],
    ["mcp_status", {}],
    ["mcp_message", { server_name: "x", message: {} }],
    ["background_tasks", {}],
    ["no_such", {}],
    ["__proto__", {}],
    ["read_file", {}],
  ];
  const asked: Promise<unknown>[] = [];
  const cancelled = new Map<string, number>();
  const questions = new Set<string>();
  const { signal } = new AbortController();

  for (let number = 0; number < 10_000; number++) {
    target.handle(request(`r${number}`, ...pick(kinds)), client);
    if (random() < 0.05) {
      const id = `r${Math.floor(random() * (number + 1))}`;
      if (!cancelled.has(id)) cancelled.set(id, replies(sent).length);
      target.cancel(id, client);
    }
    if (random() < 0.05) {
      const at = sent.length;
      asked.push(requests.ask({ subtype: "can_use_tool", tool_use_id: number }, signal));
      questions.add((sent[at] as { request_id: string }).request_id);
    }
    if (random() < 0.05 && questions.size > 0) {
      const id = pick([...questions]);
      requests.answered(success(id, { behavior: "allow" }) as never, client);
      requests.answered(success(id, { behavior: "late" }) as never, client);
      questions.delete(id);
    }
    if (random() < 0.01) await later();
  }
  for (const id of questions) requests.answered(success(id, { behavior: "allow" }) as never, client);
  await target.finish();

  const answered = Map.groupBy(replies(sent), ({ response }) => response.request_id as string);
  for (let number = 0; number < 10_000; number++) {
    const count = answered.get(`r${number}`)?.length ?? 0;
    if (count !== 1)
      expect({ id: `r${number}`, count, cancelled: cancelled.has(`r${number}`) }).toEqual({
        id: `r${number}`,
        count: 0,
        cancelled: true,
      });
  }
  expect(new Set((await Promise.all(asked)).map((answer: any) => answer.response.behavior))).toEqual(
    new Set(["allow"]),
  );
  for (const [id, before] of cancelled) {
    const at = replies(sent).findIndex(({ response }) => response.request_id === id);
    expect(at === -1 || at < before).toBe(true);
  }
});

test("replies wait while the client does not read", async () => {
  const behind = Promise.withResolvers<void>();
  const sent: Outbound[] = [];
  let full = true;
  const { target, client } = controls({
    send: (message) => {
      sent.push(message);
      return full ? behind.promise : undefined;
    },
  });
  target.handle(request("r1", "set_permission_mode", { mode: "plan" }), client);
  target.handle(request("r2", "mcp_status"), client);
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect(replies(sent).map(({ response }) => response.request_id)).toEqual(["r1"]);
  full = false;
  behind.resolve();
  await target.finish();
  expect(replies(sent).map(({ response }) => response.request_id)).toEqual(["r1", "r2"]);
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
