// What is hidden in texts that leave the session.

import { expect, test } from "bun:test";
import { hideSecrets, secretsGiven } from "./hide-secrets.ts";

const variables = { GH_PAT: "pat-from-the-shell1", OPENAI_API_KEY: "sk-from-the-shell" };

test.each([
  ["a variable whose name does not say it", { env: { GH_PAT: "ghp_0123456" } }, "ghp_0123456"],
  ["a variable named as a key, of letters only", { env: { API_KEY: "abcdefghij" } }, "abcdefghij"],
  ["the value of an option", { args: ["--api-key", "key-value-1"] }, "key-value-1"],
  ["the value of an option behind =", { args: ["--auth-token=key-value-1"] }, "key-value-1"],
  ["a header", { args: ["--header", "Authorization: Bearer b-value-12"] }, "b-value-12"],
  ["a variable for a container", { args: ["run", "-e", "SLACK_TOKEN=xoxb-12345"] }, "xoxb-12345"],
  ["the password in an address", { args: ["postgres://me:pass:w0rd@db/x"] }, "pass:w0rd"],
  ["the query of an address", { env: { URL: "https://a.example/mcp?t=query-value" } }, "query-value"],
  [
    "a variable that the entry names",
    { args: ["pat-from-the-shell1"], written: '{"args":["${GH_PAT}"]}' },
    "pat-from-the-shell1",
  ],
])("%s", (_, given, secret) => {
  const more = secretsGiven({ args: [], env: {}, written: "", variables, ...given });
  expect(hideSecrets({}, more)(`refused <${secret}>`)).toBe("refused <[hidden]>");
});

test("paths, addresses, numbers and words stay readable", () => {
  const env = { MODE: "production", DATA: "/repo/data-1", API: "https://api.example.com/v1", PORT: "443123" };
  const more = secretsGiven({ args: ["-y", "@scope/server-1", "--port", "443123"], env, written: "", variables });
  const text = "production /repo/data-1 https://api.example.com/v1 443123 @scope/server-1";
  expect(hideSecrets({}, more)(text)).toBe(text);
});
