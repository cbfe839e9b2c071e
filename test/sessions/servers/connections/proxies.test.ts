// Remote servers behind a proxy: HTTP_PROXY, HTTPS_PROXY and NO_PROXY apply to every transport, and so do certificates.

import { expect, test } from "bun:test";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { LOOPBACK_CERTIFICATE, runKeelson, startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { STREAM, told } from "../../front-door.ts";
import { withServers } from "../fake.ts";
import { startOfficial, type Kind } from "../official.ts";

const ADD: ScriptedReply = { calls: [{ name: "mcp__calc__add", input: { a: 1, b: 2 } }] };
const THREE = [{ type: "text", text: "3" }];

/** A proxy that leads every host to this port, and notes the first line of each connection. */
async function proxyTo(port: number) {
  const lines: string[] = [];
  const server = createServer((client) => {
    client.on("error", () => undefined);
    client.once("data", (first) => {
      const line = first.toString("latin1").split("\r\n")[0]!;
      lines.push(line);
      const target = connect(port, "127.0.0.1", () => {
        if (line.startsWith("CONNECT ")) client.write("HTTP/1.1 200 OK\r\n\r\n");
        // The path alone, as servers expect it.
        else target.write(Buffer.from(first.toString("latin1").replace(/^(\w+) http:\/\/[^/]+/, "$1 "), "latin1"));
        client.pipe(target).pipe(client);
      });
      target.on("error", () => client.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lines,
    [Symbol.dispose]: () => void server.close(),
  };
}

async function addThrough(entry: object, env: (home: string) => Readonly<Record<string, string>>) {
  using home = temporaryHome();
  home.write("~/ca.pem", LOOPBACK_CERTIFICATE.cert);
  await using model = await startMockModel([ADD, { text: "done" }]);
  const flags = [...withServers({ calc: { ...entry, alwaysLoad: true } }), "--allowedTools", "mcp__calc"];
  await runKeelson(["-p", "go", ...STREAM, ...flags], { home, url: model.url, env: env(home.home) });
  return told(model.requests[1]!)[0].content;
}

test.each<Kind>(["http", "sse", "ws"])(
  "HTTP_PROXY leads to a server over %s, and NO_PROXY past the proxy",
  async (kind) => {
    await using server = await startOfficial[kind]();
    using proxy = await proxyTo(server.port);
    const entry = { type: kind, url: `${kind === "ws" ? "ws" : "http"}://mcp.invalid/mcp` };
    expect(await addThrough(entry, () => ({ HTTP_PROXY: proxy.url }))).toEqual(THREE);
    expect(proxy.lines.every((line) => line.includes("mcp.invalid"))).toBe(true);
    const before = proxy.lines.length;
    // Nothing answers to this name, so the call fails; the proxy is not asked.
    await addThrough(entry, () => ({ HTTP_PROXY: proxy.url, NO_PROXY: ".invalid", MCP_TIMEOUT: "1000" }));
    expect([before > 0, proxy.lines.length]).toEqual([true, before]);
  },
);

test.each<Kind>(["http", "ws"])(
  "HTTPS_PROXY leads to a server over %s with TLS, whose authority is in NODE_EXTRA_CA_CERTS",
  async (kind) => {
    await using server = await startOfficial[kind]({ tls: LOOPBACK_CERTIFICATE });
    using proxy = await proxyTo(server.port);
    const entry = { type: kind, url: `${kind === "ws" ? "wss" : "https"}://mcp.example.com/mcp` };
    const env = (home: string) => ({ HTTPS_PROXY: proxy.url, NODE_EXTRA_CA_CERTS: join(home, "ca.pem") });
    expect(await addThrough(entry, env)).toEqual(THREE);
    expect(new Set(proxy.lines)).toEqual(new Set(["CONNECT mcp.example.com:443 HTTP/1.1"]));
    // Without the authority, the certificate is not accepted.
    expect(await addThrough(entry, () => ({ HTTPS_PROXY: proxy.url }))).toContain("not connected");
  },
);

test("a server on this machine is reached directly, whatever the proxy", async () => {
  await using server = await startOfficial.ws();
  using proxy = await proxyTo(1);
  expect(await addThrough(server.entry, () => ({ HTTP_PROXY: proxy.url, ALL_PROXY: proxy.url }))).toEqual(THREE);
  expect(proxy.lines).toEqual([]);
});
