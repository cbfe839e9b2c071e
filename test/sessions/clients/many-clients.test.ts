// Several clients on one session: who gets which message, whose answer counts, and what goes with a client that leaves.

import { expect, test } from "bun:test";
import { ConversationReader, TextParts, type ConversationItem } from "@keelson/client";
import type { Outbound } from "@keelson/protocol";
import { startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { isQuestion, isStream, openHere, TestClient } from "./live-session.ts";

const WRITE: ScriptedReply = { calls: [{ name: "Write", input: { file_path: "a.txt", content: "x" } }] };
const ALLOW = { behavior: "allow" };
const types = (messages: readonly Outbound[]) =>
  messages.map((message) => ("subtype" in message ? `${message.type} ${message.subtype}` : message.type));

test("two clients may use the same request id, and each gets its own reply alone", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const session = await openHere({ home, url: model.url });
  const [one, two] = [new TestClient(session), new TestClient(session)];
  one.request("req_1", "set_permission_mode", { mode: "plan" });
  two.request("req_1", "get_session_cost");
  expect((await one.reply("req_1")).response.response).toEqual({ mode: "plan" });
  expect((await two.reply("req_1")).response.response).toHaveProperty("text");
  await session.close("interrupt");
  expect([one, two].map(({ got }) => got.filter(({ type }) => type === "control_response").length)).toEqual([1, 1]);
});

test("a request is cancelled by the client that sent it, and by no other", async () => {
  using home = temporaryHome();
  const asked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  await using model = await startMockModel(async () => (asked.resolve(), { text: "an answer", hold: release.promise }));
  const session = await openHere({ home, url: model.url });
  const [one, two] = [new TestClient(session), new TestClient(session)];
  one.request("req_1", "side_question", { question: "what?" });
  await asked.promise;
  two.send({ type: "control_cancel_request", request_id: "req_1" });
  two.request("req_2", "mcp_status");
  await two.reply("req_2");
  release.resolve();
  expect((await one.reply("req_1")).response).toMatchObject({ subtype: "success" });
  await session.close("interrupt");
});

test("a question goes to all drivers; the first answer counts, the others are told by whom", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([WRITE, { text: "done" }]);
  const session = await openHere({ home, url: model.url });
  const view = { streamEvents: true };
  const plain = new TestClient(session);
  const one = new TestClient(session, { name: "terminal", view });
  const two = new TestClient(session, { name: "phone", view });
  const watcher = new TestClient(session, { role: "watcher", view });
  one.prompt("go");
  const [first, second] = await Promise.all([one.first(isQuestion), two.first(isQuestion)]);
  expect(second).toEqual(first);
  const { request_id } = first;
  const late = new TestClient(session, { name: "late", view });
  expect((await late.first(isStream("hello"))).pending).toEqual([first]);
  expect(await late.first(isQuestion)).toEqual(first);

  two.answer(request_id, ALLOW);
  one.answer(request_id, { behavior: "deny", message: "too late" });
  await one.result();
  expect(home.read("a.txt")).toBe("x");
  await session.close("interrupt");
  const by = { id: "client-3", name: "phone", role: "driver" };
  const answered: any = { type: "stream", subtype: "answered", request_id, by };
  const cancel: any = { type: "control_cancel_request", request_id, answered_by: by };
  for (const client of [plain, one, late]) expect(client.got).toContainEqual(cancel);
  for (const client of [one, late, watcher]) expect(client.got).toContainEqual(answered);
  // Who may not answer sees it, and nobody sees it twice.
  const asked: any = { type: "stream", subtype: "asked", question: first };
  expect([watcher, one, two, late, plain].map(({ got }) => got.some((each) => Bun.deepEquals(each, asked)))).toEqual([
    true,
    ...[false, false, false, false],
  ]);
  expect(two.got).not.toContainEqual(cancel);
  expect(watcher.got.filter(({ type }) => type.startsWith("control_"))).toEqual([]);
});

test("an answer that is not valid waits for a better one, and counts only as the last", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([WRITE, { text: "done" }, WRITE, { text: "done" }]);
  const session = await openHere({ home, url: model.url });
  const [one, two] = [new TestClient(session), new TestClient(session)];
  one.prompt("go");
  const { request_id } = await one.first(isQuestion);
  one.answer(request_id, { behavior: "perhaps" });
  two.answer(request_id, ALLOW);
  await one.result();
  expect(home.read("a.txt")).toBe("x");

  one.got.length = 0;
  one.prompt("again");
  const again = await one.first(isQuestion);
  one.answer(again.request_id, { behavior: "perhaps" });
  two.client.detach();
  const { permission_denials: denials } = await one.result();
  expect(denials).toHaveLength(1);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("the client's answer is not valid");
  await session.close("interrupt");
});

test("a question stays open while a client is left that may answer, then it ends as at the end of a stream", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([WRITE, { text: "done" }]);
  const session = await openHere({ home, url: model.url });
  const watcher = new TestClient(session, { role: "watcher" });
  const [one, two] = [new TestClient(session), new TestClient(session)];
  one.prompt("go");
  await Promise.all([one.first(isQuestion), two.first(isQuestion)]);
  one.client.detach();
  expect(two.got.filter(({ type }) => type === "control_cancel_request")).toEqual([]);
  two.client.detach();
  expect((await watcher.result()).permission_denials).toHaveLength(1);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("stream closed before response received");
  await session.close("interrupt");
});

test("a watcher reads, and is told why nothing else is accepted", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([]);
  const session = await openHere({ home, url: model.url });
  const watcher = new TestClient(session, { role: "watcher" });
  const uuid = watcher.prompt("go");
  watcher.request("r1", "interrupt");
  watcher.request("r2", "initialize", { hooks: { Stop: [{ hookCallbackIds: ["h"] }] } });
  watcher.request("r3", "initialize", { forwardSubagentText: true });
  watcher.request("r4", "get_session_info");
  await watcher.reply("r4");
  await watcher.reply("r3");
  await session.close("interrupt");
  const replies = watcher.got.flatMap((message) => (message.type === "control_response" ? [message.response] : []));
  const byId = Object.fromEntries(replies.map((reply) => [reply.request_id, reply]));
  expect(byId["r1"]).toMatchObject({ subtype: "error", error_code: "watcher" });
  expect(byId["r2"]).toMatchObject({ subtype: "error", error: expect.stringContaining("only watches") });
  expect([byId["r3"]?.subtype, byId["r4"]?.subtype]).toEqual(["success", "success"]);
  expect(watcher.got).toContainEqual(
    expect.objectContaining({ subtype: "informational", content: expect.stringContaining("only watches") }),
  );
  expect(watcher.got).toContainEqual(expect.objectContaining({ command_uuid: uuid, state: "cancelled" }));
  expect(model.requests).toEqual([]);
});

test("hooks, servers and agents of a client are called in it alone and leave with it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  const session = await openHere({ home, url: model.url });
  const [one, two] = [new TestClient(session), new TestClient(session)];
  const brings = (agent: string) => ({
    hooks: { Stop: [{ hookCallbackIds: ["hook_0"] }] },
    sdkMcpServers: [`of ${agent}`, "both"],
    agents: { [agent]: { description: "d", prompt: "p" } },
  });
  one.request("i", "initialize", { ...brings("first"), systemPrompt: ["Of the first."] });
  await one.reply("i");
  two.request("i", "initialize", { ...brings("second"), systemPrompt: ["Of the second."] });
  const { response } = await two.reply("i");
  expect(response.response.sdk_mcp_servers_not_added).toEqual(["both"]);
  const names = (list: { name: string }[]) => list.map(({ name }) => name);
  expect(names(response.response.agents)).toEqual(expect.arrayContaining(["first", "second"]));

  const answerAll = (client: TestClient) => {
    const seen = new Set<string>();
    return setInterval(() => {
      for (const message of client.got) {
        if (message.type !== "control_request" || seen.has(message.request_id)) continue;
        seen.add(message.request_id);
        const { subtype } = message.request;
        client.answer(
          message.request_id,
          (subtype as string) === "mcp_message" ? { mcp_response: { jsonrpc: "2.0", id: 0, result: {} } } : {},
        );
      }
    }, 1);
  };
  const timers = [answerAll(one), answerAll(two)];
  one.prompt("go");
  await two.result();
  const calls = (client: TestClient, subtype: string) =>
    client.got.flatMap((message) =>
      message.type === "control_request" && (message.request.subtype as string) === subtype ? [message.request] : [],
    );
  expect([one, two].map((client) => calls(client, "hook_callback").length)).toEqual([1, 1]);
  const servers = (client: TestClient) => [
    ...new Set(calls(client, "mcp_message").map((call: any) => call.server_name)),
  ];
  expect(servers(one)).toEqual(["of first", "both"]);
  expect(servers(two)).toEqual(["of second"]);
  expect(JSON.stringify(model.requests[0]?.body.system)).toContain("Of the first.");

  one.client.detach();
  two.prompt("again");
  await two.result(2);
  two.request("s", "mcp_status");
  const { mcpServers } = (await two.reply("s")).response.response;
  expect(names(mcpServers)).toEqual(["of second"]);
  expect(calls(two, "hook_callback")).toHaveLength(2);
  two.request("a", "list_agents");
  expect(names((await two.reply("a")).response.response.agents)).not.toContain("first");
  timers.forEach(clearInterval);
  await session.close("interrupt");
});

test("a hook that waits for a client ends when the client leaves", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }]);
  const session = await openHere({ home, url: model.url });
  const [one, two] = [new TestClient(session), new TestClient(session)];
  one.request("i", "initialize", { hooks: { UserPromptSubmit: [{ hookCallbackIds: ["hook_0"] }] } });
  await one.reply("i");
  two.prompt("go");
  await one.first(({ type }) => type === "control_request");
  one.client.detach();
  expect(await two.result()).toMatchObject({ subtype: "success", result: "one" });
  await session.close("interrupt");
});

test("each client sees what its view asks for, and nobody pays for what no one does", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { text: "Hello", deltas: 5 },
    { text: "Hello", deltas: 5 },
  ]);
  const session = await openHere({ home, url: model.url });
  const plain = new TestClient(session);
  const full = new TestClient(session, { view: { partial: true, replayPrompts: true, mirror: true } });
  plain.prompt("go");
  await Promise.all([plain.result(), full.result()]);
  const hasNone = (client: TestClient) =>
    !types(client.got).some((type) => /stream_event|mirror|requesting/.test(type));
  expect(hasNone(plain)).toBe(true);
  const shown = types(full.got);
  expect(shown.filter((type) => type === "stream_event").length).toBeGreaterThan(7);
  expect(shown).toContain("transcript_mirror");
  expect(full.got).toContainEqual(expect.objectContaining({ type: "user", isReplay: true }));
  expect(plain.got).not.toContainEqual(expect.objectContaining({ isReplay: true }));

  const before = Number(full.client.cursor.split(".")[1]);
  full.client.detach();
  const late = new TestClient(session, { view: { streamEvents: true } });
  plain.prompt("again");
  await plain.result(2);
  const { head } = await late.first(isStream("hello"));
  const position = Number(late.client.cursor.split(".")[1]);
  expect(head).toBeGreaterThanOrEqual(before);
  // No deltas: a handful of messages for everybody.
  expect(position - head).toBeLessThan(10);
  await session.close("interrupt");
});

test("a client that comes back with its cursor gets what it missed; with an old one, it starts anew", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "one" }, { text: "two" }]);
  const session = await openHere({ home, url: model.url });
  const view = { streamEvents: true, replayPrompts: true };
  const stays = new TestClient(session, { view });
  const leaves = new TestClient(session, { view });
  stays.prompt("first");
  await leaves.result();
  const { cursor } = leaves.client;
  leaves.client.detach();
  stays.prompt("second");
  await stays.result(2);
  const back = new TestClient(session, { view, after: cursor });
  await back.result();
  const missed = (client: TestClient) => client.got.filter(({ type }) => type !== "stream");
  const whole = missed(stays);
  const upTo = missed(leaves).length;
  expect([...missed(leaves), ...missed(back)].slice(0, upTo + 3)).toEqual(whole.slice(0, upTo + 3));

  const anew = new TestClient(session, { view, after: "nowhere.3" });
  const talk = (client: TestClient) =>
    client.got.flatMap((message) => (message.type === "user" || message.type === "assistant" ? [message.uuid] : []));
  const last = talk(stays).at(-1);
  await anew.first((message) => "uuid" in message && message.uuid === last);
  expect(types(anew.got).slice(0, 2)).toEqual(["stream hello", "stream reset"]);
  expect(talk(anew)).toEqual(talk(stays));
  await session.close("interrupt");
});

test("a reader that stops is sent a snapshot instead of deltas, every whole message, and never holds the run back", async () => {
  using home = temporaryHome();
  const release = Promise.withResolvers<void>();
  const text = "word ".repeat(3_000);
  await using model = await startMockModel([{ text, deltas: 3_000, hold: release.promise, holdAfter: 2_500 }]);
  const session = await openHere({ home, url: model.url });
  const view = { partial: true, streamEvents: true };
  const fast = new TestClient(session, { view });
  const stopped = new TestClient(session, { view, whenSlow: "drop" }, { reads: false });
  fast.prompt("go");
  let deltas = 0;
  await fast.first(({ type }) => type === "stream_event" && ++deltas === 2_400);
  stopped.read();
  const { events } = await stopped.first(isStream("snapshot"));
  const partly = events.map(({ delta }: any) => delta?.text ?? "").join("");
  expect(text.startsWith(partly)).toBe(true);
  expect(partly.length).toBeGreaterThan(text.length / 2);
  expect(stopped.count("stream_event")).toBeLessThan(600);
  release.resolve();
  await Promise.all([fast.result(), stopped.result()]);
  const after = stopped.got.slice(stopped.got.findIndex(isStream("snapshot")) + 1);
  const rest = after.map((message: any) => message.event?.delta?.text ?? "").join("");
  expect(partly + rest).toBe(text);
  const whole = (client: TestClient) => client.got.filter(({ type }) => type === "assistant" || type === "result");
  expect(whole(stopped)).toEqual(whole(fast));
  await session.close("interrupt");
});

test("a client that comes later learns what runs in the background", async () => {
  using home = temporaryHome();
  const input = { command: "mkfifo gate; cat gate", run_in_background: true, description: "Waits at the gate" };
  await using model = await startMockModel([{ calls: [{ name: "Bash", input }] }, { text: "It waits." }]);
  const session = await openHere({ home, url: model.url, flags: { allowedTools: ["Bash"] } });
  const first = new TestClient(session);
  first.prompt("go");
  await first.result();
  const late = new TestClient(session);
  late.request("i", "initialize");
  const { tasks } = await late.first((message) => types([message])[0] === "system background_tasks_changed");
  expect(tasks).toMatchObject([{ description: "Waits at the gate" }]);
  expect(late.got[0]).toMatchObject({ type: "control_response" });
  await session.close("terminate");
});

for (const streamEvents of [false, true]) {
  const how = streamEvents ? "that knows snapshots" : "of the reference";
  test(`a client ${how} that comes amid a message shows each of its blocks once`, async () => {
    using home = temporaryHome();
    const release = Promise.withResolvers<void>();
    const call = { id: "call", name: "Write", input: { file_path: "a.txt", content: "x" } };
    // The text is complete, and its call has begun.
    const begun = { text: "I will write it.", calls: [call], hold: release.promise, holdAfter: 6 };
    await using model = await startMockModel([begun, { text: "Written." }]);
    const session = await openHere({ home, url: model.url, flags: { permissionMode: "acceptEdits" } });
    const first = new TestClient(session, { view: { partial: true } });
    first.prompt("go");
    await first.first(({ event }: any) => event?.type === "content_block_delta" && event.index === 1);

    const items: ConversationItem<TextParts>[] = [];
    const late = new TestClient(session, { view: { partial: true, streamEvents }, replay: true });
    release.resolve();
    await late.result();
    const reader = new ConversationReader<TextParts>({
      newText: () => new TextParts(),
      add: (item) => items.push(item),
      // It was drawn.
      remove: () => false,
      clear: () => items.splice(0),
    });
    for (const message of late.got) reader.take(message, 0);
    expect(items.map((item) => [item.kind, item.kind === "answer" ? item.text.whole() : ""])).toEqual([
      ["prompt", ""],
      ["answer", "I will write it."],
      ["call", ""],
      ["answer", "Written."],
      ["end", ""],
    ]);
    await session.close("interrupt");
  });
}
