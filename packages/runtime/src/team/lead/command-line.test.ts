import { expect, test } from "bun:test";
import type { Flags, Snapshot } from "@keelson/config";
import type { Rule } from "@keelson/engine";
import { teammateArguments, type TeammateChoice } from "./command-line.ts";

const rule = (behavior: Rule["behavior"], text: string, source: Rule["source"]): Rule => ({
  behavior,
  tool: text,
  source,
  base: "/",
  text,
});

const choice: TeammateChoice = {
  identity: { agentId: "a@fix", name: "a", team: "fix", color: "blue", leadSessionId: "s", planModeRequired: false },
  sessionId: "u",
  agentType: "general-purpose",
  model: undefined,
  mode: "default",
  rules: [],
  elsewhere: [],
  configRoot: undefined,
  budgetUsd: undefined,
};

const args = (flags: Flags, own: Partial<TeammateChoice> = {}) =>
  teammateArguments({ origin: { flags } } as Snapshot, { ...choice, ...own });

test("a teammate is a session of the stream that says who it is", () => {
  expect(args({})).toEqual([
    "-p",
    "--input-format=stream-json",
    "--output-format=stream-json",
    "--verbose",
    "--permission-prompt-tool=stdio",
    "--session-id=u",
    "--agent-id=a@fix",
    "--agent-name=a",
    "--team-name=fix",
    "--agent-color=blue",
    "--parent-session-id=s",
    "--permission-mode=default",
  ]);
});

test("what narrows the lead narrows the teammate", () => {
  const narrow = args({
    tools: ["Read", "Bash"],
    disallowedTools: ["Write"],
    managedSettings: { permissions: { deny: ["Bash"] } },
    settingSources: ["user"],
    requireTrust: true,
    bare: true,
    safe: true,
    restricted: true,
    strictMcpConfig: true,
    settings: "/s.json",
  });
  expect(narrow).toEqual(
    expect.arrayContaining([
      "--tools=Read,Bash",
      '--managed-settings={"permissions":{"deny":["Bash"]}}',
      "--setting-sources=user",
      "--require-trust",
      "--bare",
      "--safe-mode",
      "--restricted",
      "--strict-mcp-config",
      "--settings=/s.json",
    ]),
  );
});

test("rules of flags and of the running session are passed on; those in files are read again", () => {
  const rules = [
    rule("allow", "Bash(git *)", "cliArg"),
    rule("allow", "Read", "userSettings"),
    rule("deny", "Write", "session"),
    rule("ask", "WebFetch", "session"),
    rule("ask", "Bash", "projectSettings"),
  ];
  expect(args({}, { rules }).slice(12)).toEqual([
    "--allowedTools=Bash(git *)",
    "--disallowedTools=Write",
    "--disallowedTools=WebFetch",
  ]);
});

test("skipping permissions is passed on, but not to a teammate that has to plan", () => {
  const bypass = { mode: "bypassPermissions" } as const;
  expect(args({ skipPermissions: true }, bypass)).toContain("--dangerously-skip-permissions");
  const planned = args(
    { skipPermissions: true },
    { ...bypass, identity: { ...choice.identity, planModeRequired: true } },
  );
  expect(planned).toContain("--permission-mode=plan");
  expect(planned).toContain("--plan-mode-required");
  expect(planned.join(" ")).not.toContain("skip-permissions");
});

test("servers inside the client stay there", () => {
  const mcpServers = { own: { type: "sdk", name: "own" }, files: { command: "files" } };
  expect(args({ mcpServers }).at(-1)).toBe('--mcp-config={"mcpServers":{"files":{"command":"files"}}}');
  expect(args({ mcpServers: { own: mcpServers.own } }).join(" ")).not.toContain("mcp-config");
});

test("what is denied or asked about where the member does not work is denied to it by absolute path", () => {
  const placed = (behavior: Rule["behavior"], content: string, base: string): Rule => ({
    ...rule(behavior, `Read(${content})`, "userSettings"),
    tool: "Read",
    content,
    base,
  });
  const elsewhere = [placed("deny", "/**/.env", "/main"), placed("ask", "/config/key", "/odd [x]*")];
  expect(args({}, { elsewhere }).slice(12)).toEqual([
    "--disallowedTools=Read(//main/**/.env)",
    "--disallowedTools=Read(//odd \\[x\\]\\*/config/key)",
  ]);
});
