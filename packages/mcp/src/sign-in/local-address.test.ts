import { expect, test } from "bun:test";
import type { RemoteFetch } from "../remote/guarded-fetch.ts";
import { awayFromHere } from "./local-address.ts";
import { memoryStorage } from "./memory-storage.test-support.ts";
import { signIn } from "./sign-in.ts";

test.each([
  "http://127.0.0.1:9/",
  "http://0x7f.1/",
  "http://2130706433/",
  "http://LOCALHOST./",
  "http://a.localhost/",
  "http://[::1]:9/",
  "http://[::ffff:127.0.0.1]/",
  "http://0.0.0.0/",
  "http://[::]/",
  "http://169.254.169.254/latest",
  "http://[fe80::1]/",
])("a server on the network does not make us ask %s", async (url) => {
  let asked = 0;
  const fetch: RemoteFetch = async () => (asked++, new Response());
  expect(awayFromHere(fetch, "https://mcp.test/")(url)).rejects.toThrow("which is this machine");
  expect(asked).toBe(0);
  await awayFromHere(fetch, "https://mcp.test/")("https://login.test/");
  await awayFromHere(fetch, "http://localhost:1/")(url);
  expect(asked).toBe(2);
});

test("a sign-in follows no pointer to this machine", async () => {
  const asked: string[] = [];
  const fetch: RemoteFetch = async (url) => {
    asked.push(new URL(url).host);
    const pointer = 'Bearer resource_metadata="http://127.0.0.1:9/.well-known/oauth-protected-resource"';
    return new Response("", { status: 401, headers: { "www-authenticate": pointer } });
  };
  const attempt = signIn({
    name: "s",
    url: "https://mcp.test/mcp",
    type: "http",
    headers: {},
    storage: memoryStorage(),
    fetch,
    redirectUrl: "http://localhost:1/callback",
    state: "x",
    authorize: async () => new URLSearchParams(),
  });
  await expect(attempt).rejects.toThrow();
  expect(new Set(asked)).toEqual(new Set(["mcp.test"]));
});
