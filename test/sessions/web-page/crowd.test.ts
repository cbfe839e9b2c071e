// Many sockets, many connections and many prompts: what they cost, and that everyone else is served meanwhile.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { startWeb, type WebDevice, type WebStream } from "./web-client.ts";

const isResult = (message: any) => message.type === "result";
const residentMb = (pid: number) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;

testUnless(process.platform === "linux" ? null : "memory is read from /proc", test)(
  "a thousand pages of one user cost at most 15 MB while nothing happens, and all of them see a turn",
  async () => {
    using home = temporaryHome();
    await using model = await startMockModel([{ text: "First." }, { text: "For everyone." }]);
    await using web = await startWeb({ home, url: model.url });
    const owner = await web.signIn();
    const id = await owner.begin();
    using driving = owner.stream(id);
    driving.prompt("First");
    await driving.until(isResult);
    const devices: WebDevice[] = [];
    while (devices.length < 125) {
      const { json } = await owner.request("POST", "/v1/devices", {});
      devices.push(await web.signIn(`${web.address}/#code=${json.code}`));
    }
    const before = residentMb(web.program.pid);
    const streams: WebStream[] = [];
    for (const device of devices) {
      const own = Array.from({ length: 8 }, () => device.stream(id));
      await Promise.all(own.map((stream) => stream.until(({ subtype }) => subtype === "hello")));
      streams.push(...own);
    }
    // What connecting took is given back when nothing happens.
    let after = Infinity;
    for (let tries = 0; tries < 600 && after - before > 15; tries++) {
      await Bun.sleep(100);
      after = residentMb(web.program.pid);
    }
    expect(after - before).toBeLessThanOrEqual(15);
    driving.prompt("Again");
    await Promise.all(
      streams.map((stream) => stream.until(({ message }) => message?.content?.[0]?.text === "For everyone.")),
    );
    for (const stream of streams) stream.close();
  },
);

testUnless(process.platform === "linux" ? null : "open connections are counted in /proc", test)(
  "ten thousand connections that say nothing do not keep a page from its session, and are cut off",
  async () => {
    using home = temporaryHome();
    await using model = await startMockModel([{ text: "First." }, { text: "Second." }]);
    await using web = await startWeb({ home, url: model.url });
    const device = await web.signIn();
    const id = await device.begin();
    using stream = device.stream(id);
    const { hostname, port } = new URL(web.address);
    const open = () => readdirSync(`/proc/${web.program.pid}/fd`).length;
    const before = open();
    for (let made = 0; made < 10_000; made += 500)
      await Promise.all(
        Array.from({ length: 500 }, () =>
          Bun.connect({
            hostname,
            port: Number(port),
            socket: { data: () => undefined },
          }).catch(() => undefined),
        ),
      );
    stream.prompt("First");
    await stream.until(isResult);
    // New ones, too.
    using another = device.stream(id);
    const from = stream.messages.length;
    another.prompt("Second");
    await stream.until(isResult, from);
    // At the server: under load, not every end is reported here. The second stream and its files stay open.
    while (open() > before + 20) await Bun.sleep(50);
  },
);

test("prompts that nobody could read are refused, not kept without end", async () => {
  using home = temporaryHome();
  const held = Promise.withResolvers<void>();
  await using model = await startMockModel([{ text: "Late.", hold: held.promise }, { text: "All of them." }]);
  await using web = await startWeb({ home, url: model.url });
  const device = await web.signIn();
  const stream = device.stream(await device.begin());
  stream.prompt("First");
  await model.waitForRequest(1);
  const sent = Array.from({ length: 105 }, (_, at) => stream.prompt(`Prompt ${at}`));
  await stream.until(({ state, command_uuid }) => state === "cancelled" && command_uuid === sent.at(-1));
  const refused = stream.messages.filter(({ state }) => state === "cancelled").map(({ command_uuid }) => command_uuid);
  expect(refused).toEqual(sent.slice(100));
  expect(stream.messages.find(({ subtype }) => subtype === "informational")?.content).toBe(
    "The prompt was not accepted: 100 prompts wait already; send it again when some have run",
  );
  held.resolve();
  await stream.until(({ message }) => message?.content?.[0]?.text === "All of them.");
  stream.close();
});
