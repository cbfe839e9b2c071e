// What is done with sessions beside their streams, and sessions that another program has open.

import { expect, test } from "bun:test";
import { startKeelson, startMockModel, temporaryHome } from "@keelson/testkit";
import { CHAT, prompt } from "../front-door.ts";
import { startWeb } from "./web-client.ts";

const isResult = (message: any) => message.type === "result";
const textsIn = (messages: readonly any[]) =>
  messages
    .filter(({ type }) => type === "assistant")
    .flatMap(({ message }) => message.content)
    .flatMap(({ type, text }) => (type === "text" ? [text] : []));

test("a session is read in pages, renamed, exported, copied, rewound and deleted", async () => {
  using home = temporaryHome();
  const file_path = `${home.project}/made.txt`;
  await using model = await startMockModel([
    { text: "One." },
    { calls: [{ name: "Write", input: { file_path, content: "made\n" } }] },
    { text: "Two." },
    { text: "Three, in the copy." },
  ]);
  await using web = await startWeb({ home, url: model.url, args: ["--permission-mode", "acceptEdits"] });
  const device = await web.signIn();
  const id = await device.begin();
  const stream = device.stream(id);
  stream.prompt("First");
  await stream.until(isResult);
  const from = stream.messages.length;
  const second = stream.prompt("Second");
  await stream.until(isResult, from);

  const newest = await device.request("GET", `/v1/sessions/${id}/entries?limit=2`);
  expect(textsIn(newest.json.data)).toEqual(["Two."]);
  const older = await device.request("GET", `/v1/sessions/${id}/entries?before=${newest.json.next_cursor}`);
  expect([textsIn(older.json.data), older.json.next_cursor]).toEqual([["One."], null]);

  expect((await device.request("PATCH", `/v1/sessions/${id}`, { title: "A better name" })).status).toBe(204);
  const list = async () => (await device.request("GET", "/v1/sessions")).json.data.map(({ title }: any) => title);
  expect(await list()).toEqual(["A better name"]);
  expect((await device.request("GET", "/v1/sessions?q=better")).json.data).toHaveLength(1);
  expect((await device.request("GET", "/v1/sessions?q=nowhere")).json.data).toEqual([]);
  const markdown = await fetch(`${web.address}/v1/sessions/${id}/export`, {
    headers: { Authorization: `Bearer ${device.token}` },
  });
  expect(markdown.headers.get("content-disposition")).toBe(`attachment; filename="${id}.md"`);
  expect(await markdown.text()).toContain("Two.");

  const copy = (await device.request("POST", `/v1/sessions/${id}/fork`, {})).json.id;
  using forked = device.stream(copy);
  await forked.until(({ message }) => message?.content?.[0]?.text === "Two.");
  forked.prompt("Third");
  await forked.until(isResult);
  expect(textsIn(forked.messages)).toEqual(["One.", "Two.", "Three, in the copy."]);

  const back = await device.request("POST", `/v1/sessions/${id}/rewind`, {
    prompt: second,
    files: true,
    conversation: true,
  });
  expect([back.status, back.json]).toEqual([200, expect.objectContaining({ files: expect.anything() })]);
  expect(await Bun.file(file_path).exists()).toBe(false);
  const rest = await device.request("GET", `/v1/sessions/${id}/entries`);
  expect(textsIn(rest.json.data)).toEqual(["One."]);

  const open = await device.request("DELETE", `/v1/sessions/${id}`);
  expect([open.status, open.json.error.message]).toEqual([409, expect.stringContaining("is open")]);
  stream.close();
});

test("a deleted session is gone, and one that never was is not found", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Hello." }]);
  await using first = startKeelson(["-p", "Say hello"], { home, url: model.url });
  await first.done;
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const [{ id, state, open }] = (await device.request("GET", "/v1/sessions")).json.data;
  expect([state, open]).toEqual(["idle", false]);
  expect((await device.request("DELETE", `/v1/sessions/${id}`)).status).toBe(204);
  expect((await device.request("GET", "/v1/sessions")).json.data).toEqual([]);
  for (const method of ["GET", "DELETE"]) expect((await device.request(method, `/v1/sessions/${id}`)).status).toBe(404);
  expect((await device.request("POST", `/v1/sessions/${id}/interrupt`, {})).status).toBe(404);
});

test("a session of another program is joined: both see the same, and either may prompt and interrupt", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { text: "For the program." },
    { text: "For the page." },
    { hang: true },
    { text: "Without the page." },
  ]);
  await using program = startKeelson([...CHAT], { home, url: model.url, stdin: "open" });
  program.send(prompt("From the program"));
  const { json: result } = await program.waitForLine(isResult);
  const id = (result as any).session_id;
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const [listed] = (await device.request("GET", "/v1/sessions")).json.data;
  expect(listed).toMatchObject({ id, open: true });
  using stream = device.stream(id);
  await stream.until(({ message }) => message?.content?.[0]?.text === "For the program.");
  stream.prompt("From the page");
  await stream.until(isResult);
  await program.waitForLine((json) => isResult(json) && json.result === "For the page.");
  program.send(prompt("Again from the program"));
  await stream.until(({ type, state }) => type === "system" && state === "running", stream.messages.length);
  expect((await device.request("POST", `/v1/sessions/${id}/interrupt`, {})).status).toBe(200);
  await program.waitForLine((json) => JSON.stringify(json).includes("[Request interrupted by user"));
  // Closing the page closes nothing of the program.
  stream.close();
  await stream.closed;
  program.send(prompt("Are you there?"));
  await program.waitForLine((json) => isResult(json) && json.result === "Without the page.");
  program.closeStdin();
  expect((await program.done).code).toBe(0);
});

test("the list says what a session does that another program has open", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { calls: [{ name: "Bash", input: { command: "touch made" } }] },
    { text: "Done." },
  ]);
  await using first = await startWeb({ home, url: model.url });
  await using second = await startWeb({ home, url: model.url });
  const [owner, other] = [await first.signIn(), await second.signIn()];
  const until = async (state: string) => {
    for (;;) {
      const [session] = (await other.request("GET", "/v1/sessions")).json.data;
      if (session?.state === state) return session;
      await Bun.sleep(20);
    }
  };
  const id = await owner.begin();
  using stream = owner.stream(id);
  stream.prompt("Make it");
  const { request_id } = await stream.until(({ type }) => type === "control_request");
  expect(await until("requires_action")).toMatchObject({ id, open: true });
  // It asks there, and is answered from here.
  using joined = other.stream(id);
  await joined.until(({ type }) => type === "control_request");
  joined.send({
    type: "control_response",
    response: { subtype: "success", request_id, response: { behavior: "allow" } },
  });
  await stream.until(isResult);
  expect(await until("idle")).toMatchObject({ id, open: true });
});

test("the list is sent as it changes: new sessions, what they do, and the end of a program that was killed", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([
    { text: "From a program." },
    { calls: [{ name: "Bash", input: { command: "touch made" } }] },
    { text: "Done." },
  ]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  using list = device.list();
  expect(await list.until(({ subtype }) => subtype === "list")).toMatchObject({ data: [], next_cursor: null });
  const rowOf = (id: string, state: string, open: boolean) =>
    list.until(({ data }) => data?.some((row: any) => row.id === id && row.state === state && row.open === open));

  await using program = startKeelson([...CHAT], { home, url: model.url, stdin: "open" });
  program.send(prompt("From the program"));
  const { json } = await program.waitForLine(isResult);
  const other = (json as any).session_id;
  await rowOf(other, "idle", true);

  const id = await device.begin();
  await rowOf(id, "idle", true);
  using stream = device.stream(id);
  stream.prompt("Make it");
  const { request_id } = await stream.until(({ type }) => type === "control_request");
  await rowOf(id, "requires_action", true);
  stream.send({
    type: "control_response",
    response: { subtype: "success", request_id, response: { behavior: "deny", message: "No" } },
  });
  await stream.until(isResult);
  const from = list.messages.length;
  await list.until(({ data }) => data?.some((row: any) => row.id === id && row.state === "idle"), from - 1);

  program.kill("SIGKILL");
  await rowOf(other, "idle", false);
  expect((await device.request("DELETE", `/v1/sessions/${other}`)).status).toBe(204);
  await list.until(({ removed }) => removed?.includes(other));
});

test("a session is put away and taken back; a change of what has changed since is refused; its files are found", async () => {
  using home = temporaryHome();
  home.write("src/wanted-file.ts", "1");
  home.write("secret-file.ts", "2");
  home.settings({ permissions: { deny: ["Read(secret-file.ts)"] } });
  await using model = await startMockModel([{ text: "One." }]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const id = await device.begin();
  using stream = device.stream(id);
  stream.prompt("First");
  await stream.until(isResult);
  const path = `/v1/sessions/${id}`;
  const ids = async (query: string) =>
    (await device.request("GET", `/v1/sessions${query}`)).json.data.map((session: any) => session.id);
  const tag = (await device.request("GET", path)).headers.get("etag")!;
  const change = (body: object, known: string) => device.request("PATCH", path, body, { "If-Match": known });
  expect((await change({ archived: true }, '"old"')).status).toBe(412);
  expect((await change({ archived: true }, tag)).status).toBe(204);
  expect([await ids(""), await ids("?archived=true")]).toEqual([[], [id]]);
  // Whoever read it before that cannot delete it.
  const remove = (headers: Record<string, string>) => device.request("DELETE", path, undefined, headers);
  expect((await remove({ "If-Match": tag })).status).toBe(412);
  expect((await device.request("PATCH", path, {})).status).toBe(400);
  expect((await device.request("PATCH", path, { archived: false })).status).toBe(204);
  expect([await ids(""), await ids("?archived=true")]).toEqual([[id], []]);
  const found = await device.request("GET", `${path}/files?q=wanted`);
  expect(found.json).toEqual({ data: [{ path: "src/wanted-file.ts", type: "file" }], next_cursor: null });
  expect((await device.request("GET", `${path}/files?q=secret`)).json.data).toEqual([]);
});

test("behind a proxy, under a path and another name, everything is as at home, and other names are refused", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Hello." }]);
  await using web = await startWeb({ home, url: model.url, args: ["--behind-proxy", "https://example.test/keelson"] });
  expect(web.link).toStartWith("https://example.test/keelson/#code=");
  const port = /a proxy at 127\.0\.0\.1:(\d+)/.exec(web.program.lines.map(({ text }) => text).join("\n"))?.[1];
  const local = `http://127.0.0.1:${port}`;
  const head = (host: string, origin: string) => ({ Host: host, Origin: origin, "Content-Type": "application/json" });
  const code = web.link.split("#code=")[1];
  const body = JSON.stringify({ code });
  const sign = (headers: Record<string, string>, path = "/keelson/v1/auth/code") =>
    fetch(local + path, { method: "POST", headers, body });
  expect((await sign(head("evil.test", "https://evil.test"))).status).toBe(421);
  expect((await sign(head("example.test", "https://evil.test"))).status).toBe(403);
  expect((await sign(head("example.test", "http://example.test"))).status).toBe(403);
  const reply = await sign(head("example.test", "https://example.test"));
  expect(reply.status).toBe(200);
  const { token } = (await reply.json()) as { token: string };
  // A proxy may also remove the path.
  const headers = { Host: "example.test", Authorization: `Bearer ${token}` };
  for (const path of ["/keelson/v1/sessions", "/v1/sessions"])
    expect((await fetch(local + path, { headers })).status).toBe(200);
  expect((await fetch(`${local}/keelsonx/v1/sessions`, { headers })).status).toBe(404);
  // Without the last slash, the page would look for its files elsewhere.
  const page = await fetch(`${local}/keelson`, { headers: { Host: "example.test" }, redirect: "manual" });
  expect([page.status, page.headers.get("location")]).toEqual([308, "/keelson/"]);
  const script = await fetch(`${local}/keelson/page.js`, { headers: { Host: "example.test" } });
  expect([script.status, script.headers.get("content-type")]).toEqual([200, "text/javascript; charset=utf-8"]);
});

test("an address where others could read along is refused", async () => {
  using home = temporaryHome();
  const refused = async (...args: string[]) => {
    await using program = startKeelson(["web", "--no-open", ...args], { home });
    const { code, stderr } = await program.done;
    return [code, stderr.trim()];
  };
  expect(await refused("--host", "0.0.0.0")).toEqual([
    1,
    'error: --host: others could read the traffic on "0.0.0.0"; keep 127.0.0.1 and use a TLS proxy, with --behind-proxy https://…',
  ]);
  expect(await refused("--host", "0.0.0.0", "--behind-proxy", "https://example.test")).toEqual([
    1,
    'error: --host: others could read the traffic on "0.0.0.0"; keep 127.0.0.1 and use a TLS proxy on this machine',
  ]);
  expect(await refused("--behind-proxy", "http://example.test")).toEqual([
    1,
    'error: --behind-proxy: "http://example.test/" must begin with https://, or others could read the traffic',
  ]);
  expect(await refused("--behind-proxy", "https://me@example.test/?a=b")).toEqual([
    1,
    "error: --behind-proxy: use a host and a path, and nothing else: https://example.org/keelson",
  ]);
  expect(await refused("--behind-proxy", "example")).toEqual([
    1,
    'error: --behind-proxy: "example" is not a URL; use https://…',
  ]);
});

test("a port that cannot be used is named, with the way out", async () => {
  using home = temporaryHome();
  const refused = async (port: number) => {
    await using program = startKeelson(["web", "--no-open", "--port", String(port)], { home });
    const { code, stderr } = await program.done;
    return [code, stderr.trim()];
  };
  await using web = await startWeb({ home });
  const taken = Number(new URL(web.address).port);
  expect(await refused(taken)).toEqual([
    1,
    `error: port ${taken} is in use; choose another one with --port, or leave it out to use the next free one`,
  ]);
  expect(await refused(70_000)).toEqual([1, 'error: --port: "70000" is not a port; use 0 to 65535']);
});

test("where the link leads nowhere, the program says how to reach it", async () => {
  using home = temporaryHome();
  const printed = async (env: Record<string, string>, ...args: string[]) => {
    await using web = await startWeb({ home, env, args });
    web.program.kill("SIGINT");
    const { stdout } = await web.program.done;
    return stdout
      .replaceAll(/\b\d{4,5}\b/g, "PORT")
      .trim()
      .split("\n")
      .slice(3);
  };
  const ssh = { SSH_CONNECTION: "192.0.2.1 50000 192.0.2.2 22" };
  const link = expect.stringContaining("/#code=");
  expect(await printed({})).toEqual([link]);
  expect(await printed(ssh)).toEqual([
    link,
    "",
    "To open the link on your own machine, run there: ssh -L PORT:127.0.0.1:PORT THIS-MACHINE",
  ]);
  expect((await printed({}, "--qr")).at(-1)).toContain("--behind-proxy in docs/web-page.md");
  expect(await printed(ssh, "--behind-proxy", "https://example.test/keelson")).toEqual([link]);
});

test("a list of devices that Keelson did not write signs everyone out, and is reported once", async () => {
  using home = temporaryHome();
  await using web = await startWeb({ home });
  const device = await web.signIn();
  const file = home.write("~/.claude/keelson-web/devices.json", { devices: "[]" });
  while ((await device.request("GET", "/v1/devices")).status !== 401) await Bun.sleep(20);
  web.program.kill("SIGINT");
  expect((await web.program.done).stderr.trim()).toBe(
    `warning: ${file} is not as Keelson wrote it, so all devices are signed out; sign them in again`,
  );
});
