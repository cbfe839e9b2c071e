// Whoever only looks at a session that is open nowhere gets what its transcript says, and starts nothing; a deed opens it.

import { expect, test } from "bun:test";
import { startKeelson, startMockModel, temporaryHome, type TemporaryHome } from "@keelson/testkit";
import { CHAT, prompt } from "../front-door.ts";
import { startWeb, type StartedWeb, type WebDevice } from "../web-page/web-client.ts";

const isResult = (message: any) => message.type === "result";
const says = (text: string) => (message: any) => message.message?.content?.[0]?.text === text;

async function viewerOf({ signIn, address }: StartedWeb, driver: WebDevice): Promise<WebDevice> {
  const { code } = (await driver.request("POST", "/v1/devices", { role: "viewer" })).json;
  return signIn(`${address}/#code=${code}`);
}

/** Its hook says when a session is opened. */
function withHook(home: TemporaryHome): () => Promise<boolean> {
  home.write(
    "~/.claude/settings.json",
    JSON.stringify({
      hooks: { SessionStart: [{ hooks: [{ type: "command", command: `touch ${home.project}/opened` }] }] },
    }),
  );
  return () => Bun.file(`${home.project}/opened`).exists();
}

test("a viewer, and a driver that only looks, read a stored session without opening it; a prompt opens it", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "First answer." }, { text: "Second answer." }]);
  await using first = startKeelson(["-p", "First"], { home, url: model.url });
  await first.done;
  const wasOpened = withHook(home);
  await using web = await startWeb({ home, url: model.url });
  const driver = await web.signIn();
  const viewer = await viewerOf(web, driver);
  const [{ id }] = (await driver.request("GET", "/v1/sessions")).json.data;

  using watched = viewer.stream(id);
  expect(await watched.until(({ subtype }) => subtype === "hello")).toMatchObject({
    session_id: id,
    role: "watcher",
    state: "idle",
    stored: true,
  });
  await watched.until(says("First answer."));
  await watched.until(({ subtype }) => subtype === "snapshot");
  expect(watched.cursor).toBe("stored.0");
  using stream = driver.stream(id);
  await stream.until(({ subtype }) => subtype === "snapshot");
  const replyTo = async (of: typeof stream, subtype: string, more: object = {}) => {
    of.send({ type: "control_request", request_id: subtype, request: { subtype, ...more } });
    return (await of.until(({ response }) => response?.request_id === subtype)).response;
  };
  for (const of of [watched, stream]) {
    expect(await replyTo(of, "get_messages", { limit: 1 })).toMatchObject({
      subtype: "success",
      response: { messages: [{ type: "assistant" }], before: expect.any(String) },
    });
    for (const subtype of ["get_session_info", "get_context_usage", "list_models"])
      expect(await replyTo(of, subtype)).toMatchObject({ subtype: "error", error_code: "session_not_open" });
  }
  expect(await replyTo(watched, "initialize")).toMatchObject({ error_code: "session_not_open" });
  expect(await replyTo(stream, "interrupt")).toMatchObject({ error_code: "session_not_open" });
  const read = async (path: string, method = "GET", body?: object) =>
    (await driver.request(method, `/v1/sessions/${id}${path}`, body)).status;
  expect([
    await read("/entries"),
    await read("/diff"),
    await read("/files?q=x"),
    await read("/interrupt", "POST", {}),
    await read(""),
  ]).toEqual([200, 200, 409, 200, 200]);
  expect([await wasOpened(), (await driver.request("GET", `/v1/sessions/${id}`)).json.open]).toEqual([false, false]);

  // It opens for the prompt, and whoever watched sees what follows.
  const from = watched.messages.length;
  const uuid = stream.prompt("Second");
  await stream.until(isResult);
  expect([await wasOpened(), stream.messages.some((message) => message.uuid === uuid)]).toEqual([true, true]);
  await watched.until(says("Second answer."), from);
  const hellos = watched.messages.filter(({ subtype }) => subtype === "hello");
  expect(hellos.map(({ stored }) => stored)).toEqual([true, undefined]);
});

test("a driver that initializes a stored session opens it, and what it sent meanwhile arrives in order", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One." }, { text: "Two." }, { text: "Three." }]);
  await using first = startKeelson(["-p", "First"], { home, url: model.url });
  await first.done;
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const [{ id }] = (await device.request("GET", "/v1/sessions")).json.data;
  using stream = device.stream(id);
  stream.send({ type: "control_request", request_id: "i", request: { subtype: "initialize" } });
  stream.prompt("Second");
  stream.prompt("Third");
  const { response } = await stream.until(({ response }) => response?.request_id === "i");
  expect(response.subtype).toBe("success");
  await stream.until(says("Three."));
  const asked = model.requests.at(-1)!.body.messages.filter(({ role }: any) => role === "user");
  expect(JSON.stringify(asked)).toMatch(/First.*Second.*Third/s);
});

test("what another program writes to a session that takes no clients is shown, and its end, too", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One." }, { text: "Two." }]);
  await using first = startKeelson(["-p", "First"], { home, url: model.url });
  await first.done;
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const [{ id }] = (await device.request("GET", "/v1/sessions")).json.data;
  using stream = device.stream(id);
  await stream.until(says("One."));
  await using second = startKeelson(["-p", "Second", "--resume", id], { home, url: model.url });
  await stream.until(says("Two."));
  await second.done;
  expect((await device.request("DELETE", `/v1/sessions/${id}`)).status).toBe(204);
  expect(await stream.closed).toEqual({ code: 4004, reason: "There is no such session" });
});

test("a stored session that a program opens is followed live", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "One." }, { text: "Two." }]);
  await using first = startKeelson(["-p", "First"], { home, url: model.url });
  await first.done;
  await using web = await startWeb({ home, url: model.url });
  const driver = await web.signIn();
  const viewer = await viewerOf(web, driver);
  const [{ id }] = (await driver.request("GET", "/v1/sessions")).json.data;
  using watched = viewer.stream(id);
  await watched.until(({ subtype }) => subtype === "snapshot");
  await using program = startKeelson([...CHAT, "--resume", id], { home, url: model.url, stdin: "open" });
  await watched.until(({ subtype, stored }) => subtype === "hello" && stored === undefined);
  program.send(prompt("Second"));
  await watched.until(({ subtype, state }) => subtype === "session_state_changed" && state === "running");
  await watched.until(says("Two."));
  program.closeStdin();
  await program.done;
});
