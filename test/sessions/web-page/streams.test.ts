// Sessions over the streams of `keelson web`: what a page gets, sends, and finds again after it was away.

import { expect, test } from "bun:test";
import { startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { startWeb, type WebStream } from "./web-client.ts";

/** How the server closes the stream of a client that is no page of ours. */
const REFUSED = 4003;
const isResult = (message: any) => message.type === "result";
const isQuestion = (message: any) => message.type === "control_request";
const allow = (request_id: string, response: object = { behavior: "allow" }) => ({
  type: "control_response",
  response: { subtype: "success", request_id, response },
});
const ask = (command: string): ScriptedReply => ({ calls: [{ name: "Bash", input: { command } }] });
/** Since what was shown was to be forgotten. */
const textsOf = ({ messages }: WebStream) =>
  messages
    .slice(messages.findLastIndex(({ subtype }) => subtype === "reset") + 1)
    .filter(({ type }) => type === "assistant")
    .flatMap(({ message }) => message.content)
    .flatMap(({ type, text }: any) => (type === "text" ? [text] : []));

test("a prompt runs, is stored, and the session is in the list under its title", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Hello." }]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const id = await device.begin();
  using stream = device.stream(id);
  const hello = await stream.until(({ type }) => type === "stream");
  expect(hello).toMatchObject({ subtype: "hello", session_id: id, state: "idle", role: "driver", pending: [] });
  const uuid = stream.prompt("Say hello");
  // As a page does that does not know whether it arrived.
  stream.prompt("Say hello", uuid);
  await stream.until(isResult);
  expect(textsOf(stream)).toEqual(["Hello."]);
  const { json } = await device.request("GET", "/v1/sessions");
  expect(json.data).toEqual([
    expect.objectContaining({ id, title: "Say hello", cwd: home.project, open: true, state: "idle" }),
  ]);
  expect(model.requests).toHaveLength(1);
});

test("a program reads who is there, messages that are counted, and who answered; of another epoch, it gets a reset", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([ask("touch made"), { text: "Made." }]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const id = await device.begin();
  const read: { readonly c: string | null; readonly m: any }[] = [];
  using one = device.stream(id);
  const ended = one.until(
    (m, c) => read.push({ c, m }) > 0 && m.type === "command_lifecycle" && m.state === "completed",
  );
  await one.until(({ subtype }) => subtype === "snapshot");
  using other = device.stream(id);
  await other.until(({ subtype }) => subtype === "snapshot");
  other.prompt("Make it");
  const { request_id, request } = await other.until(isQuestion);
  other.send(allow(request_id, { behavior: "allow", updatedInput: request.input }));
  await ended;

  const [hello, reset, snapshot] = read;
  const [self, second] = ["client-1", "client-2"].map((client) => ({ id: client, name: "A test", role: "driver" }));
  const epoch = hello?.m.epoch;
  expect(hello).toEqual({
    c: null,
    m: {
      type: "stream",
      subtype: "hello",
      session_id: id,
      epoch: expect.stringMatching(/^\w+$/),
      head: 0,
      state: "idle",
      client: "client-1",
      role: "driver",
      watchers: [self],
      pending: [],
      capabilities: expect.arrayContaining(["stream_cursor_v1", "stream_snapshot_v1"]),
    },
  });
  expect(reset).toEqual({ c: null, m: { type: "stream", subtype: "reset", before: null } });
  expect(snapshot).toEqual({ c: `${epoch}.0`, m: { type: "stream", subtype: "snapshot", events: [] } });
  const told = read.filter(({ c, m }) => c === null && m.type === "stream").map(({ m }) => m);
  expect(told.slice(2)).toEqual([
    { type: "stream", subtype: "presence", watchers: [self, second] },
    { type: "stream", subtype: "answered", request_id, by: second },
  ]);
  const counted = read.flatMap(({ c }) => (c === null ? [] : [c]));
  expect(counted).toEqual(counted.map((_, at) => `${epoch}.${at}`));
  expect(read.filter(({ m }) => m.type === "control_cancel_request").map(({ m }) => m.request_id)).toEqual([
    request_id,
  ]);

  using late = device.stream(id, "anotherepoch.3");
  await late.until(({ subtype }) => subtype === "snapshot");
  expect(late.messages.slice(0, 2).map(({ subtype }) => subtype)).toEqual(["hello", "reset"]);
  expect(textsOf(late)).toEqual(["Made."]);
});

test("who comes back with a cursor gets what followed it, and who has none gets the newest", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One." }, { text: "Two." }]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const id = await device.begin();
  const first = device.stream(id);
  first.prompt("First");
  await first.until(isResult);
  const { cursor } = first;
  first.close();
  await first.closed;

  using second = device.stream(id);
  second.prompt("Second");
  await second.until(isResult);
  using back = device.stream(id, cursor);
  await back.until(isResult);
  expect([textsOf(back), back.messages.some(({ subtype }) => subtype === "reset")]).toEqual([["Two."], false]);
  using fresh = device.stream(id);
  await fresh.until(({ message }) => message?.content?.[0]?.text === "Two.");
  expect([textsOf(fresh), fresh.messages.some(({ subtype }) => subtype === "reset")]).toEqual([["One.", "Two."], true]);
});

test("a question goes to every page and to whoever comes later; the first answer counts, and the others hear by whom", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([ask("touch made"), { text: "Done." }]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const id = await device.begin();
  using first = device.stream(id);
  first.prompt("Make it");
  const { request_id, request } = await first.until(isQuestion);
  expect(request).toMatchObject({ subtype: "can_use_tool", tool_name: "Bash", input: { command: "touch made" } });
  using late = device.stream(id);
  const hello = await late.until(({ subtype }) => subtype === "hello");
  expect(hello.pending).toEqual([expect.objectContaining({ request_id })]);
  expect(await late.until(isQuestion)).toMatchObject({ request_id });
  const { json } = await device.request("GET", "/v1/sessions?state=requires_action");
  expect(json.data).toHaveLength(1);

  late.send(allow(request_id));
  await first.until(({ type }) => type === "control_cancel_request");
  expect(await first.until(({ subtype }) => subtype === "answered")).toMatchObject({
    request_id,
    by: { name: "A test" },
  });
  await first.until(isResult);
  expect([textsOf(first), await Bun.file(`${home.project}/made`).exists()]).toEqual([["Done."], true]);
});

test("a question waits when the last page goes, and is there for whoever comes", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ waitMs: 300, ...ask("touch made") }, { text: "Done." }]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const id = await device.begin();
  const first = device.stream(id);
  first.prompt("Make it");
  await first.until(({ type, state }) => type === "command_lifecycle" && state === "started");
  // Before it is asked.
  first.close();
  await first.closed;
  using second = device.stream(id);
  const { request_id } = await second.until(isQuestion);
  second.close();
  await second.closed;
  using third = device.stream(id);
  expect(await third.until(({ subtype }) => subtype === "hello")).toMatchObject({
    state: "requires_action",
    pending: [{ request_id }],
  });
  third.send(allow(request_id));
  await third.until(isResult);
  expect(await Bun.file(`${home.project}/made`).exists()).toBe(true);
});

test("a run goes on without a page, and a killed server's session is continued by the next", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "While you were away." }, { text: "Again." }]);
  const uuid = crypto.randomUUID();
  let id: string;
  {
    await using web = await startWeb({ home, url: model.url });
    const device = await web.signIn();
    id = await device.begin();
    const stream = device.stream(id);
    stream.prompt("Work", uuid);
    await stream.until(({ type, message }) => type === "user" && message.content !== undefined);
    stream.close();
    using back = device.stream(id);
    await back.until(({ message }) => message?.content?.[0]?.text === "While you were away.");
    web.program.kill("SIGKILL");
    expect((await back.closed).code).toBe(1006);
  }
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  using stream = device.stream(id, "0badc0de.12");
  // It was not known whether it arrived.
  stream.prompt("Work", uuid);
  await stream.until(({ type, state }) => type === "command_lifecycle" && state === "completed");
  expect(textsOf(stream)).toEqual(["While you were away."]);
  const from = stream.messages.length;
  stream.prompt("Once more");
  await stream.until(isResult, from);
  expect(textsOf(stream)).toEqual(["While you were away.", "Again."]);
});

test("a device that watches sees everything and sends nothing; a device that is signed out is cut off", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([ask("touch made"), { text: "Done." }]);
  await using web = await startWeb({ home, url: model.url });
  const owner = await web.signIn();
  const { json } = await owner.request("POST", "/v1/devices", { role: "viewer" });
  const watcher = await web.signIn(`${web.address}/#code=${json.code}`);
  const id = await owner.begin();
  using driving = owner.stream(id);
  driving.prompt("Make it");
  const { request_id } = await driving.until(isQuestion);

  using watching = watcher.stream(id);
  expect(await watching.until(({ subtype }) => subtype === "hello")).toMatchObject({
    role: "watcher",
    pending: [{ request_id }],
  });
  watching.send(allow(request_id));
  expect(await watching.closed).toEqual({ code: REFUSED, reason: "This device only watches" });
  expect((await watcher.request("POST", "/v1/sessions", {})).status).toBe(403);

  using again = watcher.stream(id);
  await again.until(({ subtype }) => subtype === "hello");
  const devices = (await owner.request("GET", "/v1/devices")).json.data;
  const { id: watcherId } = devices.find(({ role }: any) => role === "viewer");
  expect((await owner.request("DELETE", `/v1/devices/${watcherId}`)).status).toBe(204);
  expect(await again.closed).toEqual({ code: 4001, reason: "This device was signed out" });
  expect((await watcher.request("GET", "/v1/sessions")).status).toBe(401);
  driving.send(allow(request_id));
  await driving.until(isResult);
});

test("a page sends prompts, answers and its own requests, and nothing else gets through", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Ok." }]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const id = await device.begin();
  const refused = async (message: object | string) => {
    using stream = device.stream(id);
    await stream.until(({ subtype }) => subtype === "hello");
    stream.send(message);
    return (await stream.closed).code;
  };
  const user = { type: "user", message: { role: "user", content: "x" }, parent_tool_use_id: null };
  expect(await refused("{")).toBe(REFUSED);
  expect(await refused("[]")).toBe(REFUSED);
  expect(await refused(user)).toBe(REFUSED);
  expect(await refused({ ...user, uuid: "../../x" })).toBe(REFUSED);
  expect(await refused({ ...user, uuid: crypto.randomUUID(), message: { role: "assistant", content: "x" } })).toBe(
    REFUSED,
  );
  const tool_result = { type: "tool_result", tool_use_id: "x", content: "made up" };
  expect(await refused({ ...user, uuid: crypto.randomUUID(), message: { role: "user", content: [tool_result] } })).toBe(
    REFUSED,
  );
  expect(await refused({ type: "update_environment_variables", variables: { PATH: "/tmp" } })).toBe(REFUSED);
  expect(await refused("x".repeat(1_100_000))).toBe(1009);

  using stream = device.stream(id);
  for (const subtype of [
    "end_session",
    "hook_callback",
    "mcp_call",
    "mcp_set_servers",
    "read_file",
    "update_settings",
  ]) {
    stream.send({ type: "control_request", request_id: subtype, request: { subtype } });
    const { response } = await stream.until(({ response }) => response?.request_id === subtype);
    expect(response).toMatchObject({ subtype: "error", error_code: "unsupported_request" });
  }
  // Of this one, only the reply is for pages.
  const hooks = { PreToolUse: [{ hookCallbackIds: ["allow-all"] }] };
  stream.send({
    type: "control_request",
    request_id: "init",
    request: { subtype: "initialize", hooks, systemPrompt: "x" },
  });
  await stream.until(({ response }) => response?.request_id === "init" && response.subtype === "success");
  // What the session alone may set does not arrive.
  stream.send({
    ...user,
    uuid: crypto.randomUUID(),
    isSynthetic: true,
    shell: { command: "touch made", toolUseId: "x" },
  });
  await stream.until(isResult);
  expect(await Bun.file(`${home.project}/made`).exists()).toBe(false);
});

test("a double click begins one session, and a folder that is none begins no session", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const key = { "Idempotency-Key": "one" };
  const [first, second] = await Promise.all([0, 1].map(() => device.request("POST", "/v1/sessions", {}, key)));
  expect(first!.json).toEqual(second!.json);
  const wrong = await device.request("POST", "/v1/sessions", { cwd: `${home.project}/none` });
  expect([wrong.status, wrong.json.error.message]).toEqual([
    400,
    `"${home.project}/none" is not a folder; give the whole path of one`,
  ]);
  const missing = device.stream(crypto.randomUUID());
  expect(await missing.closed).toEqual({ code: 4004, reason: "There is no such session" });
});
