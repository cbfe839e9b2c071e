// Every question before a session, in every size of window, in one start.

import { test } from "bun:test";
import { temporaryHome } from "@keelson/testkit";
import { startTerminal } from "@keelson/testkit/terminal";
import { AT_PROMPT, walk } from "./walk.ts";

test("each question before a session can be read and answered in every size", async () => {
  using home = temporaryHome();
  home.write("~/elsewhere/shared rules.md", "Be kind.\n");
  home.write("CLAUDE.md", "@~/elsewhere/shared rules.md\n@~/elsewhere/shared.md\n");
  home.write("~/elsewhere/shared.md", "Be kind.\n");
  home.write(".claude/settings.json", {
    hooks: { SessionStart: [{ hooks: [{ type: "command", command: "true" }] }] },
    permissions: { allow: ["Bash(make *)"] },
  });
  home.write(".mcp.json", {
    mcpServers: {
      tools: { command: "/usr/local/bin/a-server-with-a-long-name", args: ["--port", "8080", "--folder", "/srv/data"] },
      more: { type: "http", url: "https://tools.example.test/mcp" },
    },
  });
  await using terminal = startTerminal({
    home,
    env: { ANTHROPIC_API_KEY: "sk-test-0123456789-abcdefghijklmnop", IS_SANDBOX: "1" },
    args: ["--dangerously-skip-permissions"],
  });
  await walk(terminal, [
    { state: "colors", keys: [], shows: ["Welcome to Keelson"] },
    { state: "model", keys: ["<enter>"], shows: ["offline"] },
    { state: "trust", keys: ["<down>", "<down>", "<enter>"], shows: ["Do you trust this folder?", "1. No", "2. Yes"] },
    { state: "key", keys: ["<down>", "<enter>"], shows: ["Use this key?", "1. Yes", "2. No"] },
    { state: "first server", keys: ["<enter>"], shows: ['Use "more"?', "1. ", "2. ", "3. "] },
    { state: "second server", keys: ["<enter>"], shows: ['Use "tools"?', "1. ", "2. ", "3. "] },
    { state: "includes", keys: ["<down>", "<down>", "<enter>"], shows: ["1. ", "2. "] },
    { state: "bypass", keys: ["<enter>"], shows: ["1. No, leave", "2. Yes, I accept"] },
    { state: "prompt", keys: ["<down>", "<enter>"], shows: [AT_PROMPT] },
  ]);
});
