import { expect, test } from "bun:test";
import { bash, question, type GateSetup, type Rules, type Verdict } from "./gate.test-support.ts";
import { decide } from "./decide.ts";

const watch = (command: string, setup: GateSetup = {}) => bash(command, { ...setup, tool: "Monitor" });
const listen = (url: string, setup: GateSetup = {}) =>
  decide(
    question({ kind: "url", url }, "Monitor", { input: { description: "x", timeout_ms: 1, ws: { url } }, ...setup }),
  );

test.each<[string, Rules, Verdict]>([
  ["npm start", {}, "ask"],
  ["tail -F log", {}, "allow"],
  ["npm start", { allow: ["Bash"] }, "allow"],
  ["npm start", { allow: ["Bash(npm start)"] }, "allow"],
  ["npm start", { allow: ["Monitor"] }, "allow"],
  ["npm start", { allow: ["Monitor"], deny: ["Bash"] }, "deny"],
  ["npm start", { allow: ["Monitor"], deny: ["Bash(npm:*)"] }, "deny"],
  ["npm start", { allow: ["Monitor"], ask: ["Bash"] }, "ask"],
  ["npm start", { allow: ["Bash"], deny: ["Monitor"] }, "deny"],
  ["cat .env", { allow: ["Monitor"], deny: ["Read(.env)"] }, "deny"],
])("a monitor of %j with %j: %s", (command, rules, verdict) => {
  expect(watch(command, { with: rules }).behavior).toBe(verdict);
});

test.each<[string, GateSetup, Verdict]>([
  ["wss://e.com/feed", {}, "ask"],
  ["wss://e.com/feed", { with: { allow: ["Bash"] } }, "ask"],
  ["wss://e.com/feed", { with: { allow: ["WebFetch(domain:e.com)"] } }, "ask"],
  ["wss://e.com/feed", { with: { allow: ["Monitor(domain:e.com)"] } }, "allow"],
  ["wss://evil.com/feed", { with: { allow: ["Monitor(domain:e.com)"] } }, "ask"],
  ["wss://e.com/feed", { with: { allow: ["Monitor"], deny: ["WebFetch(domain:e.com)"] } }, "deny"],
  ["wss://e.com/feed", { mode: "bypassPermissions" }, "allow"],
  ["ws://localhost:9222/", { mode: "bypassPermissions" }, "ask"],
  ["ws://a.LOCALHOST./", { mode: "bypassPermissions" }, "ask"],
  ["ws://127.1:9222/", { mode: "bypassPermissions" }, "ask"],
  ["ws://[::1]/", { mode: "bypassPermissions" }, "ask"],
  ["ws://[::ffff:127.0.0.1]/", { mode: "bypassPermissions" }, "ask"],
  ["ws://localhost:9222/", { mode: "dontAsk" }, "deny"],
  ["ws://localhost:9222/", { mode: "bypassPermissions", with: { allow: ["Monitor(domain:localhost)"] } }, "allow"],
])("a monitor of %s with %j: %s", (url, setup, verdict) => {
  expect(listen(url, setup).behavior).toBe(verdict);
});

test("the question about a WebSocket suggests a rule for its host", () => {
  expect(listen("wss://e.com/feed")).toMatchObject({
    suggestions: [{ rules: [{ toolName: "Monitor", ruleContent: "domain:e.com" }] }],
  });
});
