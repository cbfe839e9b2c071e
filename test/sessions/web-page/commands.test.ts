// Commands of a session and the server: what they find out about it is of no use to them.

import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runKeelson, startKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { ordinaryUserMissing, owned, program, removeCopy, through } from "../as-nobody.ts";
import { CHAT, prompt, told } from "../front-door.ts";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { startWeb } from "./web-client.ts";

afterAll(removeCopy);
const testShielded = testUnless(confinementMissing(), test);

testShielded("a command that knows a link and a token neither signs in nor acts with them", async () => {
  using home = temporaryHome();
  const command = `for each in link start stream signed-out; do
    exec 3<>/dev/tcp/127.0.0.1/$(<port); cat $each >&3; head -n1 <&3; exec 3>&-
  done`;
  await using model = await startMockModel([{ calls: [{ name: "Bash", input: { command } }] }, { text: "Done." }]);
  await using web = await startWeb({ home, url: model.url, args: ["--allowedTools", "Bash"] });
  const device = await web.signIn();
  const { host, port } = new URL(web.address);
  const { code } = (await device.request("POST", "/v1/devices", {})).json;
  const id = await device.begin();
  const head = (line: string, more: readonly string[]) =>
    [line, `Host: ${host}`, `Origin: ${web.address}`, ...more, "", ""].join("\r\n");
  const post = (path: string, body: object, more: readonly string[] = []) => {
    const text = JSON.stringify(body);
    const headers = ["Content-Type: application/json", `Content-Length: ${text.length}`, "Connection: close", ...more];
    return head(`POST ${path} HTTP/1.1`, headers) + text;
  };
  const bearer = `Authorization: Bearer ${device.token}`;
  const requests = {
    link: post("/v1/auth/code", { code }),
    start: post("/v1/sessions", {}, [bearer]),
    stream: head(`GET /v1/sessions/${id}/stream HTTP/1.1`, [
      ...[
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Protocol: keelson.v1",
      ],
      ...["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", bearer],
    ]),
    "signed-out": post("/v1/auth/logout", {}, [bearer]),
  };
  for (const [name, text] of Object.entries(requests)) home.write(name, text);
  home.write("port", port);
  using stream = device.stream(id);
  stream.prompt("Run the tests");
  await stream.until(({ type }) => type === "result");
  const lines = String(told(model.requests.at(-1)!)[0].content)
    .trim()
    .split(/\r?\n/);
  expect(lines).toEqual(lines.map(() => "HTTP/1.1 403 Forbidden"));
  expect(lines).toHaveLength(4);
  // The link is still good for whoever it is meant for.
  await web.signIn(`${web.address}/#code=${code}`);
});

const PYTHON = "/usr/bin/python3";
const users = {
  "the user of the tests": confinementMissing() ?? (existsSync(PYTHON) ? null : `needs ${PYTHON}`),
  "an ordinary user": confinementMissing() ?? ordinaryUserMissing() ?? (existsSync(PYTHON) ? null : `needs ${PYTHON}`),
};

/** Ways to have a connection without being seen to have it. Each prints how its request was answered. */
const HIDDEN = readFileSync(join(import.meta.dir, "hidden-connection.py"), "utf8");
const WAYS = [
  "plain",
  "reads",
  "not_dumpable",
  "other_address",
  "own_files",
  "in_flight",
  "first_thread_gone",
  "nested_shield",
];

for (const [user, missing] of Object.entries(users))
  testUnless(missing, test)(`as ${user}, a command that hides its connection does not act with a token`, async () => {
    const isOrdinary = user === "an ordinary user";
    using home = temporaryHome();
    home.settings({ permissions: { allow: ["Bash"] } });
    home.write("hidden.py", HIDDEN);
    const started = join(home.project, "started");
    const as = isOrdinary ? { through, ...(program ? { program: [program] } : {}) } : {};
    const place = isOrdinary ? owned(home) : home;
    await using web = await startWeb({ home: place, ...as });
    const device = await web.signIn();
    const { port } = new URL(web.address);
    const run = (way: string) => `timeout 60 ${PYTHON} hidden.py ${way} ${port} ${device.token} 2>&1 | tail -n1`;
    const calls = WAYS.map((way) => ({ name: "Bash", input: { command: run(way) } }));
    const steps = [
      ...calls.map((each) => ({ calls: [each] })),
      { calls: [{ name: "Bash", input: { command: `touch ${started}; until [ -e go ]; do sleep 0.05; done` } }] },
      { text: "Done." },
    ];
    await using model = await startMockModel(steps);
    const running = runKeelson(["-p", "go"], { home: place, url: model.url, ...as });
    while (!existsSync(started)) await Bun.sleep(10);
    // While a command runs, others are served.
    expect((await device.request("POST", "/v1/sessions", {})).status).toBe(201);
    home.write("go", "");
    await running;
    const answers = model.requests.slice(1, -1).map((request) => String(told(request).at(-1).content).trim());
    expect(answers).toEqual(
      WAYS.map((way) =>
        // For root, nothing can be mounted behind the shield.
        way === "nested_shield" && !isOrdinary && process.getuid?.() === 0
          ? expect.not.stringContaining(" 201 ")
          : `${way} HTTP/1.1 403 Forbidden`,
      ),
    );
  });

test("the page does not go on by itself with a session whose program was limited and was killed", async () => {
  using home = temporaryHome();
  await using model = await startMockModel([{ text: "Hello." }]);
  await using program = startKeelson([...CHAT, "--disallowedTools", "Write"], { home, url: model.url, stdin: "open" });
  program.send(prompt("Hello"));
  const { json } = await program.waitForLine(({ type }) => type === "result");
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  using stream = device.stream((json as any).session_id);
  await stream.until(({ message }) => message?.content?.[0]?.text === "Hello.");
  program.kill("SIGKILL");
  expect(await stream.closed).toEqual({ code: 4004, reason: expect.stringContaining("--disallowedTools") });
});

test("the browser is given an address without a code: everyone can read the arguments of a program", async () => {
  using home = temporaryHome();
  const seen = `${home.project}/seen`;
  const script = home.write("~/browser.sh", `echo "$@" > ${seen}.new; mv ${seen}.new ${seen}\n`);
  await using terminal = startTerminal({ home, args: ["web", "--port", "0"], env: { BROWSER: `sh ${script}` } });
  await terminal.until("paste it there");
  while (!existsSync(seen)) await Bun.sleep(5);
  expect(readFileSync(seen, "utf8")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\n$/);
});
