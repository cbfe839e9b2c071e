import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fetchOptionsFrom, proxyFor } from "./network.ts";

const proxy = (url: string, env: Record<string, string>) => proxyFor(new URL(url), env);
const HTTPS = { HTTPS_PROXY: "http://proxy:1", HTTP_PROXY: "http://plain:2" };

test("the scheme selects the proxy, lowercase variables take precedence, and a missing scheme is http", () => {
  expect(proxy("https://api.example.com", HTTPS)).toBe("http://proxy:1");
  expect(proxy("http://api.example.com", HTTPS)).toBe("http://plain:2");
  expect(proxy("https://api.example.com", { ...HTTPS, https_proxy: "small:3" })).toBe("http://small:3");
  expect(proxy("https://api.example.com", { ALL_PROXY: "http://all:4" })).toBe("http://all:4");
  expect(proxy("https://api.example.com", {})).toBeUndefined();
});

test("loopback never uses a proxy", () => {
  for (const host of ["localhost", "127.0.0.1", "127.8.8.8", "[::1]", "app.localhost"])
    expect(proxy(`http://${host}:8080`, HTTPS)).toBeUndefined();
  expect(proxy("http://127.0.0.1.example.com", HTTPS)).toBe("http://plain:2");
});

test("a metadata service never uses a proxy: it would answer with the proxy's credentials", () => {
  for (const host of ["169.254.169.254", "169.254.170.2", "[fd00:ec2::254]", "metadata.google.internal"])
    expect(proxy(`http://${host}/latest`, HTTPS)).toBeUndefined();
  expect(proxy("http://169.254.169.254.example.com", HTTPS)).toBe("http://plain:2");
});

test("NO_PROXY accepts hosts, domains, ports and a star", () => {
  const rows: [string, string, boolean][] = [
    ["example.com", "https://example.com", true],
    ["example.com", "https://api.example.com", true],
    [".example.com", "https://api.example.com", true],
    ["*.example.com", "https://api.example.com", true],
    ["example.com", "https://notexample.com", false],
    ["other.org, example.com", "https://example.com", true],
    ["EXAMPLE.com", "https://example.com", true],
    ["example.com:8443", "https://example.com:8443", true],
    ["example.com:443", "https://example.com", true],
    ["example.com:8443", "https://example.com", false],
    ["10.0.0.1", "https://10.0.0.1", true],
    ["fe80::1", "https://[fe80::1]", true],
    ["*", "https://example.com", true],
    ["", "https://example.com", false],
  ];
  for (const [exceptions, url, straight] of rows)
    expect([exceptions, url, proxy(url, { ...HTTPS, NO_PROXY: exceptions }) === undefined]).toEqual([
      exceptions,
      url,
      straight,
    ]);
});

test("the proxy option is always set, so fetch ignores the process's variables", async () => {
  expect(await fetchOptionsFrom({})(new URL("http://a.example"))).toEqual({ proxy: false });
  expect(await fetchOptionsFrom(HTTPS)(new URL("https://a.example"))).toEqual({
    proxy: { url: "http://proxy:1", respectNoProxy: false },
  });
});

test("the error for an unreadable certificate file names its variable", async () => {
  const options = fetchOptionsFrom({ NODE_EXTRA_CA_CERTS: "/no/such/file.pem" })(new URL("https://a.example"));
  await expect(options).rejects.toThrow(
    'Cannot read "/no/such/file.pem"; set NODE_EXTRA_CA_CERTS to a PEM file, or unset it',
  );
});

test("a certificate file that appears is read at the next request", async () => {
  const folder = mkdtempSync(join(tmpdir(), "keelson-network-"));
  const file = join(folder, "ca.pem");
  const optionsFor = fetchOptionsFrom({ CLAUDE_CODE_CLIENT_CERT: file });
  const url = new URL("https://a.example");
  await expect(optionsFor(url)).rejects.toThrow("Cannot read");
  writeFileSync(file, "a certificate");
  expect(await optionsFor(url)).toMatchObject({ tls: { cert: "a certificate" } });
  rmSync(folder, { recursive: true });
});

test("a request goes through the given proxy", async () => {
  const seen: string[] = [];
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      seen.push(request.url);
      return new Response("through");
    },
  });
  const url = new URL("http://model.invalid/v1/messages");
  const options = await fetchOptionsFrom({ HTTP_PROXY: `http://127.0.0.1:${server.port}` })(url);
  expect(await (await fetch(url, options)).text()).toBe("through");
  expect(seen).toEqual([url.href]);
});
