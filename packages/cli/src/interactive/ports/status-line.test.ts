import { afterEach, beforeEach, expect, test } from "bun:test";
import { join } from "node:path";
import { load } from "@keelson/config";
import { put, removed, scratch } from "../../commands/command-io.test-support.ts";
import { StatusLine, statusLineCommand } from "./status-line.ts";

let root: string;
beforeEach(() => {
  root = scratch("status-line");
});
afterEach(() => removed(root));

const snapshot = () =>
  load({
    cwd: join(root, "project"),
    home: join(root, "home"),
    env: { PATH: process.env["PATH"], ANTHROPIC_API_KEY: "secret" },
    flags: {},
    platform: "linux",
    uid: 1000,
  });

async function shown(command: string, signal = new AbortController().signal): Promise<string | undefined> {
  const line = new StatusLine();
  const input = { session_id: "s", effort: { level: "high" } };
  try {
    return await line.run(command, snapshot(), { input, size: { columns: 90, rows: 30 }, signal, sessionId: "s" });
  } finally {
    await line.close();
  }
}

test("the command gets JSON and the variables of the session, and no key", async () => {
  const names =
    "CLAUDECODE CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_SESSION_ID CLAUDE_CODE_CHILD_SESSION CLAUDE_EFFORT AI_AGENT COLUMNS LINES ANTHROPIC_API_KEY";
  const print = names
    .split(" ")
    .map((name) => `$${name}`)
    .join(" ");
  expect(await shown(`cat; echo; echo "${print}"; echo "\${CLAUDE_PROJECT_DIR##*/}"`)).toBe(
    '{"session_id":"s","effort":{"level":"high"}}\n\n1 cli s 1 high keelson 90 30 \nproject',
  );
});

test.each(["exit 1", "true", "echo no; exit 3", "/nowhere/at/all"])("%p shows nothing", async (command) => {
  expect(await shown(command)).toBeUndefined();
});

test("a run that is no longer wanted ends, and takes its processes with it", async () => {
  const stop = new AbortController();
  const run = shown("sleep 600 & sleep 600", stop.signal);
  stop.abort();
  expect(await run).toBeUndefined();
});

test("only a command is run, and a folder's own only if it is trusted", () => {
  put(root, "project/.claude/settings.json", { statusLine: { type: "command", command: "echo hi" } });
  expect(statusLineCommand(snapshot())).toBeUndefined();
  put(root, "home/.claude.json", { projects: { [join(root, "project")]: { hasTrustDialogAccepted: true } } });
  expect(statusLineCommand(snapshot())).toBe("echo hi");
  put(root, "project/.claude/settings.json", { statusLine: { type: "text", command: "echo hi" } });
  expect(statusLineCommand(snapshot())).toBeUndefined();
});
