import { expect, test } from "bun:test";
import { isAllowedUrl } from "./url-pattern.ts";

const isAllowed = (url: string, ...patterns: string[]) => isAllowedUrl(new URL(url), patterns);

test("without a policy every URL is allowed; with an empty one, none", () => {
  expect([isAllowedUrl(new URL("http://a.test/"), undefined), isAllowed("http://a.test/")]).toEqual([true, false]);
});

test("one pattern of several is enough", () => {
  expect(isAllowed("http://localhost/x", "https://hooks.test/*", "http://localhost/*")).toBe(true);
});

test.each([
  ["*", "http://anything.test:81/a?b"],
  ["https://*", "https://anything.test:81/a?b"],
  ["*://localhost/*", "http://localhost/a"],
  ["http*://localhost/*", "https://localhost/a"],
  ["https://hooks.test/*", "https://hooks.test/a/b?c=d"],
  ["https://hooks.test/*", "https://hooks.test/"],
  ["https://hooks.test/*", "https://HOOKS.test:443/a"],
  ["HTTPS://Hooks.Test:443/*", "https://hooks.test/a"],
  ["https://hooks.test/*", "https://hooks.test./a"],
  ["https://hooks.test./*", "https://hooks.test/a"],
  ["https://hooks.test", "https://hooks.test/"],
  ["https://hooks.test*", "https://hooks.test:8443/a"],
  ["https://hooks.test/a/*/c", "https://hooks.test/a/b/b/c"],
  ["https://hooks.test/*?key=*", "https://hooks.test/a?key=1"],
  ["http://localhost:*", "http://localhost:8080/a"],
  ["http://localhost:*", "http://localhost/a"],
  ["http://localhost:*/hook", "http://localhost:8080/hook"],
  ["http://localhost:8080/*", "http://localhost:8080/a"],
  ["https://*.hooks.test/*", "https://a.b.hooks.test/x"],
  ["*.hooks.test/*", "https://a.hooks.test/x"],
  ["https://team-*.hooks.test/*", "https://team-blue.hooks.test/x"],
  ["http://127.0.0.*/*", "http://127.0.0.1/x"],
  ["http://127.0.0.1/*", "http://2130706433/x"],
  ["http://0x7f.1/*", "http://127.0.0.1/x"],
  ["http://[::1]:*/*", "http://[0:0:0:0:0:0:0:1]:80/x"],
  ["https://*.bücher.test/*", "https://a.xn--bcher-kva.test/x"],
])("%s allows %s", (pattern, url) => {
  expect(isAllowed(url, pattern)).toBe(true);
});

test.each([
  ["https://hooks.test/*", "http://hooks.test/a"],
  ["https://hooks.test/*", "https://hooks.test:8443/a"],
  ["https://hooks.test/*", "https://a.hooks.test/a"],
  ["https://hooks.test/*", "https://evil.test/https://hooks.test/a"],
  ["https://hooks.test/*", "https://evil.test/?https://hooks.test/"],
  ["https://hooks.test/*", "https://evil.test/#https://hooks.test/"],
  ["https://hooks.test/*", "https://hooks.test@evil.test/a"],
  ["https://hooks.test/*", "https://hooks.test:x@evil.test/a"],
  ["https://hooks.test/*", "https://evil.test\\@hooks.test/a"],
  ["https://hooks.test/*", "https://hooks.test.evil.test/a"],
  ["https://hooks.test*", "https://hooks.test.evil.test/a"],
  ["https://hooks.test*", "https://hooks.testing/a"],
  ["https://hooks.test*/x", "https://hooks.testing/x"],
  ["https://hooks.test", "https://hooks.test/a"],
  ["https://hooks.test:*", "https://hooks.test.evil.test/a"],
  ["https://*.hooks.test/*", "https://evil.test/a.hooks.test/x"],
  ["https://*.hooks.test/*", "https://hooks.test/x"],
  ["https://*.hooks.test/*", "https://evilhooks.test/x"],
  ["https://*.hooks.test/*", "https://a.hooks.test.evil.test/x"],
  ["https://team-*.hooks.test/*", "https://team-a.evil.hooks.test/x"],
  ["https://hooks.*/*", "https://hooks.evil.test/x"],
  ["https://hooks.test/allowed/*", "https://hooks.test/allowed/../secret"],
  ["https://hooks.test/allowed/*", "https://hooks.test/allowed/%2e%2E/secret"],
  ["https://hooks.test/allowed/*", "https://hooks.test/ALLOWED/x"],
  ["http://localhost:8080/*", "http://localhost:8081/"],
  ["http://localhost:80*/*", "http://localhost:8081/"],
  ["hooks.test/*", "https://hooks.test/a"],
  ["localhost:*", "http://localhost:80/a"],
  ["", "http://localhost/"],
  ["https://", "https://hooks.test/"],
  ["https://user@hooks.test/*", "https://hooks.test/a"],
  ["https://[hooks.test/*", "https://hooks.test/a"],
])("%s does not allow %s", (pattern, url) => {
  expect(isAllowed(url, pattern)).toBe(false);
});

test("a pattern with many stars is fast", () => {
  const url = `https://hooks.test/${"a".repeat(5_000)}`;
  expect(isAllowed(url, `https://hooks.test/${"*a".repeat(500)}b`)).toBe(false);
});
