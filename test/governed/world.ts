// A home and a project in which every kind of file and program that can govern a session exists, and sessions that use
// them all.

import { chmodSync } from "node:fs";
import { join } from "node:path";
import {
  runKeelson,
  startMockModel,
  temporaryHome,
  type ScriptedCall,
  type ScriptStep,
  type TemporaryHome,
} from "@keelson/testkit";
import type { JsonObject } from "@keelson/protocol";
import { startTerminal } from "@keelson/testkit/terminal";
import { tracing } from "./trace.ts";

export interface Starter {
  readonly program: string;
  readonly user: string;
  /** A command in front of the program, to run it as that user. */
  readonly through: readonly string[];
  /** Gives everything in the home to that user. */
  own(home: TemporaryHome): TemporaryHome;
}

export interface World extends Starter {
  readonly home: TemporaryHome;
}

export function makeWorld(starter: Starter): World {
  const home = temporaryHome({ git: true });
  const program = (path: string, text: string) => chmodSync(home.write(path, `#!/bin/sh\n${text}\n`), 0o755);
  const bin = (name: string, text: string) => program(`~/.local/bin/${name}`, text);
  bin("named-hook", "exit 0");
  bin("named-status", "echo ready");
  bin("named-server", SERVER);
  bin("named-language-server", "exit 1");
  program("~/.claude/hooks/check.sh", "inner-tool; exit 0");
  bin("inner-tool", "exit 0");
  bin("named-headers", "echo '{}'");
  bin("named-notify", "cat >/dev/null");
  bin("named-refresh", "exit 0");
  const keys = { AccessKeyId: "AKIDTEST", SecretAccessKey: "secret", SessionToken: "token" };
  bin("named-export", `echo '${JSON.stringify({ Credentials: keys })}'`);
  bin("named-editor", 'echo "written in the editor" >"$1"');
  program("scripts/project-hook.sh", "exit 0");
  program("scripts/key.sh", "echo test-key");

  const run = (command: string) => [{ hooks: [{ type: "command", command }] }];
  home.settings({
    statusLine: { type: "command", command: "named-status" },
    outputStyle: "Terse",
    apiKeyHelper: `${home.project}/scripts/key.sh`,
    hooks: {
      SessionStart: run("named-hook"),
      PreToolUse: run("~/.claude/hooks/check.sh"),
      Stop: run("sh scripts/project-hook.sh"),
    },
    lspServers: { sample: { command: "named-language-server", extensionToLanguage: { ".smp": "sample" } } },
    enableAllProjectMcpServers: true,
  });
  home.write("~/.claude.json", {
    hasCompletedOnboarding: true,
    theme: "dark",
    customApiKeyResponses: { approved: ["test-key"], rejected: [] },
    projects: { [home.project]: { hasTrustDialogAccepted: true } },
    mcpServers: { own: { command: "named-server" } },
  });
  const skill = (name: string) => `---\nname: ${name}\ndescription: Says ${name}.\n---\nSay ${name}.\n`;
  const agent = (name: string) => `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo ${name}.\n`;
  home.write("~/.claude/CLAUDE.md", "Be kind.\n");
  home.write("~/.claude/rules/style.md", "Be brief.\n");
  home.write("~/.claude/skills/mine/SKILL.md", skill("mine"));
  home.write("~/.claude/commands/hello.md", "Say hello.\n");
  home.write("~/.claude/agents/helper.md", agent("helper"));
  home.write("~/.claude/output-styles/terse.md", "---\nname: Terse\ndescription: Short.\n---\nBe short.\n");
  home.write("~/.claude/keybindings.json", { bindings: [] });
  home.write(".claude/settings.json", { permissions: { allow: ["Bash(true:*)"] } });
  home.write(".claude/settings.local.json", { permissions: { deny: ["Read(./denied.txt)"] } });
  home.write(".claude/skills/ours/SKILL.md", skill("ours"));
  home.write(".claude/agents/ours.md", agent("ours"));
  home.write(".mcp.json", { mcpServers: { project: { command: "named-server" } } });
  home.write("CLAUDE.md", "This is a test.\n");
  home.write("sub/CLAUDE.md", "This is below.\n");
  home.write("sub/.claude/skills/below/SKILL.md", skill("below"));
  home.write("sub/.claude/settings.json", { permissions: { allow: ["Bash(false:*)"] } });
  home.write("plugin/.claude-plugin/plugin.json", { name: "extra", version: "1.0.0" });
  home.write("plugin/hooks/hooks.json", { hooks: { Stop: run("sh ${CLAUDE_PLUGIN_ROOT}/end.sh") } });
  program("plugin/end.sh", "exit 0");
  home.write("plugin/skills/more/SKILL.md", skill("more"));
  home.write("~/.ssh/config", "Host example\n");
  home.write("~/.config/fish/config.fish", "# mine\n");
  home.write("a.pdf", "%PDF-1.4\n");
  home.write("sub/file.smp", "sample\n");
  home.write("a.txt", "one\n");
  commit(home.project, home.env);
  home.write("denied.txt", "secret\n");
  return { ...starter, home: starter.own(home) };
}

/** Worktrees and runs of routines begin at a commit. */
export function commit(folder: string, env: TemporaryHome["env"]): void {
  for (const args of [
    ["init", "-q"],
    ["add", "-A"],
    ["commit", "-qm", "First"],
  ]) {
    const { success, stderr } = Bun.spawnSync(["git", ...args], { cwd: folder, env });
    if (!success) throw new Error(stderr.toString());
  }
}

/** The world's own programs come first, as where people install theirs. */
export const environmentOf = ({ home: { home } }: World) => ({
  PATH: `${join(home, ".local/bin")}:/usr/local/bin:/usr/bin:/bin`,
  // The key comes from the helper.
  ANTHROPIC_API_KEY: undefined,
});

const call = (name: string, input: JsonObject): ScriptedCall => ({ name, input });

/** A session that uses all tools, and what it is told to do. */
export async function useTools(world: World, through: readonly string[]): Promise<void> {
  const memory = join(world.home.configDir, "projects", world.home.project.replaceAll(/[^a-zA-Z0-9]/g, "-"), "memory");
  await run(
    world,
    through,
    ["-p", "go", ...FLAGS, ...ALLOWED],
    [
      {
        calls: [
          call("Bash", { command: "ls; git status --short" }),
          call("Read", { file_path: "a.txt" }),
          call("Edit", { file_path: "a.txt", old_string: "one", new_string: "two" }),
          call("Read", { file_path: "sub/file.smp" }),
          call("Edit", { file_path: "sub/file.smp", old_string: "sample", new_string: "example" }),
          call("Write", { file_path: "new.txt", content: "new\n" }),
          call("Write", { file_path: join(memory, "fact.md"), content: "a fact\n" }),
          call("Read", { file_path: "a.pdf", pages: "1" }),
          call("Grep", { pattern: "two" }),
          call("Glob", { pattern: "**/*.txt" }),
          call("Skill", { skill: "mine" }),
          call("TodoWrite", { todos: [{ content: "x", status: "pending", activeForm: "x" }] }),
          call("Bash", { command: "seq 1 20000" }),
          call("Bash", { command: "echo in the background", run_in_background: true }),
          call("mcp__own__hello", {}),
          call("CronCreate", { cron: "0 0 1 1 *", prompt: "happy new year", recurring: true, durable: true }),
        ],
      },
      { calls: [call("EnterPlanMode", {})] },
      { calls: [call("Agent", { description: "help", prompt: "help", subagent_type: "helper" })] },
      { text: "helped" },
      { text: "done" },
      { text: "done" },
      { text: "done" },
    ],
  );
}

/** Uses every feature. Each session is traced into a log of its own in `logs`; returns the logs. */
export async function useEverything(
  world: World,
  logs: string,
  useMore: (world: World, traced: () => readonly string[]) => Promise<void>,
): Promise<readonly string[]> {
  const { home, program } = world;
  const written: string[] = [];
  const traced = () => {
    const log = join(logs, `trace-${written.length}`);
    written.push(log);
    return tracing(log, world.user);
  };
  await useTools(world, traced());
  await run(
    world,
    traced(),
    ["-p", "/hello", "--continue", ...ALLOWED],
    [
      { calls: [call("EnterWorktree", { name: "aside" })] },
      { calls: [call("Bash", { command: "ls" })] },
      { text: "done" },
      { text: "done" },
    ],
  );
  for (const command of COMMANDS) await run(world, traced(), command.split(" "));

  await using model = await startMockModel([{ text: "hello from the model" }, { text: "a title" }, { text: "more" }]);
  await using terminal = startTerminal({
    command: [...traced(), program],
    home,
    url: model.url,
    env: environmentOf(world),
  });
  await terminal.until(/^[❯$]/m);
  terminal.type("how are you");
  await terminal.until("❯ how are you");
  terminal.press("enter");
  await terminal.until("hello from the model");
  terminal.press("ctrl+d", "ctrl+d");
  await terminal.exited;
  await useMore(world, traced);
  return written;
}

/** Runs the program to its end, which must be a good one. */
export async function run(
  world: World,
  through: readonly string[],
  args: readonly string[],
  script: readonly ScriptStep<JsonObject>[] = [],
): Promise<void> {
  await using model = await startMockModel(script);
  const options = { home: world.home, url: model.url, env: environmentOf(world), program: world.program, through };
  const ended = await runKeelson(args, options);
  if (ended.code !== 0) throw new Error(`${args.join(" ")} ended with ${ended.code}\n${ended.stdout}\n${ended.stderr}`);
}

export const FLAGS = ["--plugin-dir", "plugin"];
const COMMANDS = [
  ...["doctor", "config list", "instructions", "auth status", "acp --check", "export", "trace"],
  ...["hooks", "hooks trace", "hooks test PreToolUse --tool Bash", "permissions list", "permissions explain Bash(ls)"],
  ...["mcp list", "mcp get own", "mcp test own", "plugin list", "plugin marketplace list"],
  ...["skills", "skills show mine", "agents", "agents show helper"],
];
const ALLOWED = [
  ...["--permission-mode", "acceptEdits", "--allowedTools"],
  "Bash,Skill,Agent,TodoWrite,CronCreate,EnterWorktree,mcp__own__hello",
];

/** An MCP server with one tool, for a shell. */
const SERVER = `
while read -r line; do
  id=$(printf %s "$line" | sed -n 's/.*"id":\\("[^"]*"\\|[0-9]*\\).*/\\1/p')
  case "$line" in
    *'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"tools/list"'*) result='{"tools":[{"name":"hello","inputSchema":{"type":"object"}}]}' ;;
    *'"tools/call"'*) result='{"content":[{"type":"text","text":"hello"}]}' ;;
    *) result='{}' ;;
  esac
  [ -z "$id" ] || printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
done`;
