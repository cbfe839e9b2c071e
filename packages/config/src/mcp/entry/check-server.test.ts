import { expect, test } from "bun:test";
import { checkServer } from "./check-server.ts";

const options = { scope: "dynamic", env: { GITHUB_TOKEN: "ghp_1", HOST: "a.test" }, settings: {} } as const;

test("checkServer() returns a server that can be connected to", () => {
  const written = { type: "http", url: "https://${HOST}/", headers: { A: "${GITHUB_TOKEN}" }, headersHelper: "h" };
  expect(checkServer("a", written, options)).toEqual({
    name: "a",
    scope: "dynamic",
    config: { type: "http", url: "https://a.test/", headers: { A: "ghp_1" }, headersHelper: "h" },
    written,
  });
  expect(checkServer("a", written, { ...options, scope: "agent", trusted: false })).toMatchObject({
    config: { url: "https://a.test/", headers: { A: "${GITHUB_TOKEN}" } },
  });
  expect(checkServer("a", written, { ...options, trusted: false })).not.toHaveProperty("config.headersHelper");
});

test("checkServer() says why a server is not used", () => {
  const settings = { deniedMcpServers: [{ serverName: "a" }] };
  expect(checkServer("a", { command: "x" }, { ...options, settings })).toEqual({
    name: "a",
    scope: "dynamic",
    written: { command: "x" },
    status: "disabled",
    why: "The setting deniedMcpServers names it",
  });
  expect(checkServer("workspace", { command: "x" }, options)).toMatchObject({ status: "failed" });
  expect(checkServer("b", 7, options)).toMatchObject({ status: "failed", written: {}, why: "It should be an object" });
});

test("checkServer() confines what the settings confine", () => {
  const settings = { sandbox: { mcpServers: { a: true } } };
  expect(checkServer("a", { command: "x" }, { ...options, settings })).toMatchObject({ confined: true });
  expect(checkServer("b", { command: "x" }, { ...options, settings })).not.toHaveProperty("confined");
});
