// Several processes with one expired sign-in: its refresh token works once, so only one of them may use it.

import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryHome } from "@keelson/testkit";
import { openSecretStore, openSignInMemory } from "../../../packages/host/src/secrets/index.ts";
import { sessionServer } from "../../../packages/mcp/src/remote/remote-servers.test-support.ts";
import { signIn } from "../../../packages/mcp/src/sign-in/index.ts";
import { protect, startAuthServer } from "../../../packages/mcp/src/sign-in/auth-server.test-support.ts";

const packages = join(import.meta.dir, "../../../packages");

/** Connects to a server with the stored tokens and prints its name. */
const CONNECT = `
const [configDir, url] = process.argv.slice(-2);
const { remoteTransport } = await import("${packages}/mcp/src/remote/index.ts");
const { openSecretStore, openSignInMemory } = await import("${packages}/host/src/secrets/index.ts");
const signIn = { tokens: openSecretStore({ configDir, platform: "linux", env: {} }), needed: openSignInMemory(configDir) };
const transport = remoteTransport({ type: "http", url, headers: {} }, { name: "calc", fetch, signIn });
const { signal } = new AbortController();
await transport.start({ message: ({ result }) => console.log(result.serverInfo.name), closed() {} }, signal);
const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x", version: "1" } };
await transport.send({ jsonrpc: "2.0", id: 0, method: "initialize", params }, signal);
await transport.close();
`;

test("an expired token is refreshed once for all processes", async () => {
  using home = temporaryHome();
  const { configDir } = home;
  await using auth = await startAuthServer();
  await using server = protect(auth, sessionServer().fetch);
  auth.lifetime = 0;
  await signIn({
    name: "calc",
    url: server.url,
    type: "http",
    headers: {},
    storage: {
      tokens: openSecretStore({ configDir, platform: "linux", env: {} }),
      needed: openSignInMemory(configDir),
    },
    fetch,
    redirectUrl: "http://localhost:3118/callback",
    state: "s",
    async authorize(url) {
      const response = await fetch(url, { redirect: "manual" });
      return new URL(response.headers.get("location")!).searchParams;
    },
  });
  auth.lifetime = 3_600;
  const outputs = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const child = Bun.spawn([process.execPath, "-e", CONNECT, configDir, server.url], {
        stdout: "pipe",
        stderr: "pipe",
      });
      return `${await child.stdout.text()}${await child.stderr.text()}`;
    }),
  );
  expect(outputs).toEqual(["calculator\n", "calculator\n", "calculator\n", "calculator\n"]);
  expect(auth.requests.filter((request) => request === "POST /token")).toHaveLength(2);
});
