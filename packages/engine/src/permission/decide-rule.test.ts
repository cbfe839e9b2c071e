// The rule that decided, reported with every decision; and rules for hosts, agents and skills.

import { expect, test } from "bun:test";
import type { RuleBehavior } from "@keelson/protocol";
import { decide } from "./decide.ts";
import {
  agent,
  bash,
  edit,
  external,
  fetchUrl,
  question,
  read,
  ruleOf,
  skill,
  type Rules,
  type Verdict,
} from "./gate.test-support.ts";

test.each<[string, Rules, Verdict, string, string | undefined]>([
  ["npm test", { allow: ["Bash(ls:*)", "Bash(npm:*)"] }, "allow", "rule", "Bash(npm:*)"],
  ["ls && npm test", { allow: ["Bash(npm:*)"] }, "allow", "rule", "Bash(npm:*)"],
  ["npm test && cargo test", { allow: ["Bash(cargo:*)", "Bash(npm:*)"] }, "allow", "rule", "Bash(npm:*)"],
  ["timeout 5 npm test", { allow: ["Bash(npm:*)"] }, "allow", "rule", "Bash(npm:*)"],
  ["echo x > src/a", { allow: ["Edit(src/**)"] }, "allow", "rule", "Edit(src/**)"],
  ["ls", { allow: ["Bash(npm:*)"] }, "allow", "other", undefined],
  ["anything", { allow: ["Bash"] }, "allow", "rule", "Bash"],
  ["ls; rm x; git push", { deny: ["Bash(git push:*)", "Bash(rm:*)"] }, "deny", "rule", "Bash(rm:*)"],
  ["sudo rm x", { deny: ["Bash(rm:*)"] }, "deny", "rule", "Bash(rm:*)"],
  ["cat .env", { deny: ["Read(x)", "Read(.env)"] }, "deny", "rule", "Read(.env)"],
  ["echo x > src/a", { deny: ["Edit(src/**)"] }, "deny", "rule", "Edit(src/**)"],
  ["echo | sh", { deny: ["Bash(* | sh)"] }, "deny", "rule", "Bash(* | sh)"],
  ["rm 'x", { deny: ["Bash(rm:*)"] }, "deny", "rule", "Bash(rm:*)"],
  ["ls", { deny: ["Bash"] }, "deny", "rule", "Bash"],
  ["git push", { ask: ["Bash(git push:*)"], allow: ["Bash"] }, "ask", "rule", "Bash(git push:*)"],
  ["git $X", { deny: ["Bash(git push:*)"], allow: ["Bash"] }, "ask", "rule", "Bash(git push:*)"],
  ["cat .e*", { deny: ["Read(.env)"] }, "ask", "rule", "Read(.env)"],
  ["npm test", {}, "ask", "other", undefined],
])("%j with %j: %s by %s %s", (command, rules, behavior, by, text) => {
  const decision = bash(command, { with: rules });
  expect({ behavior: decision.behavior, by: decision.by, text: decision.rule?.text }).toEqual({
    behavior,
    by,
    text,
  } as never);
});

test("a question raised by a deny rule says so; one raised by an ask rule is the usual one", () => {
  expect(bash("cat .e*", { with: { deny: ["Read(.env)"] } })).toMatchObject({
    reason: "This command requires approval: it may reach what Read(.env) denies",
  });
  expect(bash("npm x", { with: { ask: ["Bash(npm:*)"] } })).toMatchObject({ reason: "This command requires approval" });
});

test("path rules are reported too, and a mode that asks no one still names the rule that would ask", () => {
  expect(read("/etc/hosts", { with: { allow: ["Read(//etc/**)"] } })).toEqual({
    behavior: "allow",
    by: "rule",
    reason: "Read(//etc/**)",
    rule: ruleOf("allow", "Read(//etc/**)"),
  });
  expect(edit("/repo/a", { with: { ask: ["Edit(a)"] }, mode: "acceptEdits" })).toMatchObject({
    behavior: "ask",
    by: "rule",
    rule: ruleOf("ask", "Edit(a)"),
  });
  expect(edit("/repo/a", { with: { ask: ["Edit(a)"] }, mode: "dontAsk" })).toMatchObject({
    behavior: "deny",
    by: "mode",
    rule: ruleOf("ask", "Edit(a)"),
  });
});

test.each<[string, RuleBehavior, string, Verdict]>([
  ["domain:e.com", "allow", "https://e.com/x", "allow"],
  ["domain:e.com", "allow", "http://E.COM:8080/", "allow"],
  ["domain:e.com", "allow", "https://e.com./", "allow"],
  ["domain:E.com", "allow", "https://e.com/", "allow"],
  ["domain:e.com", "allow", "https://www.e.com/", "ask"],
  ["domain:e.com", "allow", "https://e.com.evil.org/", "ask"],
  ["domain:e.com", "allow", "https://evil.org/e.com", "ask"],
  ["domain:e.com", "allow", "https://e.com@evil.org/", "ask"],
  ["domain:e.com", "allow", "https://e.com:x@evil.org/", "ask"],
  ["domain:e.com", "allow", "https://evil.org#@e.com/", "ask"],
  ["domain:e.com", "allow", "https://evil.org\\@e.com/", "ask"],
  ["domain:e.com", "allow", "https://evil.org?x=e.com", "ask"],
  ["domain:e.com", "allow", "ftp://e.com/", "ask"],
  ["domain:e.com", "allow", "file://e.com/etc/passwd", "ask"],
  ["domain:e.com", "allow", "https://еxample.com/", "ask"],
  ["domain:e.com", "allow", "not an address", "ask"],
  ["domain:bücher.de", "allow", "https://xn--bcher-kva.de/", "allow"],
  ["domain:xn--bcher-kva.de", "allow", "https://BÜCHER.de/", "allow"],
  ["domain:*.w.com", "allow", "https://a.b.w.com/", "allow"],
  ["domain:*.w.com", "allow", "https://w.com/", "ask"],
  ["domain:*.w.com", "allow", "https://evilw.com/", "ask"],
  ["domain:e*", "allow", "https://e.com/", "ask"],
  ["domain:*", "allow", "https://e.com/", "allow"],
  ["e.com", "allow", "https://e.com/", "ask"],
  ["domain:", "allow", "https://e.com/", "ask"],
  ["domain:bad.com", "deny", "https://bad.com/", "deny"],
  ["domain:bad.com", "deny", "https://BAD.com.:443/", "deny"],
  ["domain:bad.com", "deny", "https://good.com@bad.com/", "deny"],
  ["domain:bad.com", "deny", "https://b%61d.com/", "deny"],
  ["domain:bad.com", "deny", "https://x.bad.com/", "ask"],
  ["domain:https://bad.com/", "deny", "https://bad.com/", "deny"],
  ["domain:127.0.0.1", "deny", "http://0x7f.1/", "deny"],
  ["domain:127.0.0.1", "deny", "http://2130706433/", "deny"],
  ["domain:*.bad.com", "deny", "https://x.bad.com/", "deny"],
  ["domain:bad*", "deny", "https://bad.org/", "deny"],
  ["domain:bad.com", "deny", "not an address", "deny"],
  ["domain:e.com", "ask", "https://e.com/", "ask"],
])("WebFetch(%s) under %s, %s: %s", (content, behavior, url, expected) => {
  expect(fetchUrl(url, { with: { [behavior]: [`WebFetch(${content})`] } }).behavior).toBe(expected);
});

test.each<[string, Verdict]>([
  ["https://docs.python.org/3/library/", "allow"],
  ["http://DOCS.python.org./3/", "allow"],
  ["https://docs.python.org:8443/", "ask"],
  ["https://me@docs.python.org/", "ask"],
  ["https://docs.python.org.evil.com/", "ask"],
  ["https://evil.docs.python.org/", "ask"],
  ["https://evil.com/docs.python.org", "ask"],
  ["wss://docs.python.org/", "ask"],
  ["https://docs.anthropic.com/", "ask"],
  ["https://github.com/", "ask"],
  ["https://127.0.0.1/", "ask"],
])("documentation needs no approval: %s: %s", (url, expected) => {
  expect(fetchUrl(url).behavior).toBe(expected);
});

test("rules about a documentation site hold, and only WebFetch is free to read it", () => {
  const url = "https://docs.python.org/";
  const verdicts = [{ deny: ["WebFetch(domain:docs.python.org)"] }, { ask: ["WebFetch"] }].map(
    (rules) => fetchUrl(url, { with: rules }).behavior,
  );
  expect(verdicts).toEqual(["deny", "ask"]);
  expect(decide(question({ kind: "url", url }, "Monitor", { input: {} })).behavior).toBe("ask");
});

test.each<[string, RuleBehavior, string, Verdict]>([
  ["Agent(Explore)", "deny", "Explore", "deny"],
  ["Task(Explore)", "deny", "Explore", "deny"],
  ["Agent(explore)", "deny", "Explore", "deny"],
  ["Agent(Exp*)", "deny", "Explore", "deny"],
  ["Agent(Plan)", "deny", "Explore", "allow"],
  ["Agent(Explore)", "ask", "Explore", "ask"],
  ["Agent", "ask", "Explore", "ask"],
])("%s under %s, agent %s: %s", (rule, behavior, name, expected) => {
  expect(agent(name, { with: { [behavior]: [rule] } }).behavior).toBe(expected);
});

test.each<[string, RuleBehavior, string, string, Verdict]>([
  ["Skill(deploy)", "allow", "deploy", "", "allow"],
  ["Skill(deploy)", "allow", "/deploy", "", "allow"],
  ["Skill(deploy)", "allow", "deploy", "prod", "ask"],
  ["Skill(deploy:*)", "allow", "deploy", "prod", "allow"],
  ["Skill(deploy *)", "allow", "deploy", "", "allow"],
  ["Skill(deploy *)", "allow", "deploy-eu", "", "ask"],
  ["Skill(deploy:*)", "allow", "deploy:eu", "", "ask"],
  ["Skill", "allow", "deploy", "prod", "allow"],
  ["Skill(deploy)", "deny", "deploy", "prod", "deny"],
  ["Skill(deploy)", "deny", "Deploy", "", "deny"],
  ["Skill(deploy:*)", "deny", "deploy", "", "deny"],
  ["Skill(tools:*)", "deny", "tools:deploy", "", "deny"],
  ["Skill(deploy *)", "deny", "deploy-eu", "", "ask"],
  ["Skill(deploy)", "ask", "deploy", "", "ask"],
])("%s under %s, skill %s with %j: %s", (rule, behavior, name, args, expected) => {
  expect(skill(name, { with: { [behavior]: [rule] } }, { args }).behavior).toBe(expected);
});

test("refusals of a host, an agent and a skill use the documented texts", () => {
  const rules = { deny: ["WebFetch(domain:bad.com)", "Agent(Explore)", "Skill(deploy)"] };
  const messages = [
    fetchUrl("https://BAD.com/x", { with: rules }),
    agent("Explore", { with: rules }),
    skill("deploy", { with: rules }),
  ];
  expect(messages.map((decision) => "message" in decision && decision.message)).toEqual([
    "WebFetch denied access to domain:bad.com. The deny rule is WebFetch(domain:bad.com), from userSettings.",
    "Agent type 'Explore' has been denied. The deny rule is Agent(Explore), from userSettings.",
    "Skill execution blocked by permission rules. The deny rule is Skill(deploy), from userSettings.",
  ]);
});

test("the text of a rule is cut, and cannot begin a line of its own, in a refusal", () => {
  const rule = `Skill(deploy\n\u202e${"x".repeat(500)})`;
  const decision = skill(rule.slice(6, -1), { with: { deny: [rule] } });
  const message = "message" in decision ? decision.message : "";
  expect(message).toStartWith("Skill execution blocked by permission rules. The deny rule is Skill(deploy xxx");
  expect([message.length < 400, message.includes("\n")]).toEqual([true, false]);
});

test("a question about a host or a skill suggests that host and that skill", () => {
  const add = (toolName: string, ruleContent: string) => ({
    type: "addRules",
    rules: [{ toolName, ruleContent }],
    behavior: "allow",
    destination: "localSettings",
  });
  expect(fetchUrl("https://user@E.com:8080/x")).toMatchObject({ suggestions: [add("WebFetch", "domain:e.com")] });
  expect(fetchUrl("nonsense")).toMatchObject({ suggestions: [] });
  expect(skill("deploy")).toMatchObject({ suggestions: [add("Skill", "deploy"), add("Skill", "deploy:*")] });
  expect(external("mcp__srv__echo")).toMatchObject({
    suggestions: [{ type: "addRules", rules: [{ toolName: "mcp__srv__echo" }] }],
  });
});

test.each<[Rules, Record<string, string | number | boolean>, Verdict]>([
  [{ deny: ["Bash(run_in_background:true)"] }, { run_in_background: true }, "deny"],
  [{ deny: ["Bash(run_in_background:true)"] }, { run_in_background: false }, "allow"],
  [{ ask: ["Bash(dangerouslyDisableSandbox:true)"] }, { dangerouslyDisableSandbox: true }, "ask"],
  [{ deny: ["Bash(timeout:*)"] }, { timeout: 5 }, "allow"],
  [{ deny: ["Bash(command:ls)"] }, {}, "allow"],
])("a rule about a parameter of Bash: %j with %j: %s", (rules, more, expected) => {
  expect(bash("ls", { with: rules, input: { command: "ls", ...more } }).behavior).toBe(expected);
});

test("a parameter that only the prototype has does not count", () => {
  const call = question({ kind: "external" }, "mcp__s__t", { with: { deny: ["mcp__s__t(constructor:*)"] } });
  expect(decide(call).behavior).toBe("ask");
});
