// Hooks on the stream for those who asked, and every way to have none.

import { expect } from "bun:test";
import type { HookEvent } from "@keelson/protocol";
import { DONE, exits, listens, prints, RAN, script, type Row } from "../row.ts";

const started = (event: HookEvent, name: string) => ({
  type: "system",
  subtype: "hook_started",
  hook_id: "<uuid>",
  hook_name: name,
  hook_event: event,
  uuid: "<uuid>",
  session_id: "<session>",
});
const responded = (event: HookEvent, name: string, said: object) => ({
  ...started(event, name),
  subtype: "hook_response",
  output: "",
  stdout: "",
  stderr: "",
  ...said,
});

const STREAM: readonly Row[] = [
  {
    name: "on the stream when asked for",
    event: "PreToolUse",
    hooks: { PreToolUse: [prints("fine")], Stop: [exits(1, "broken")], PostToolUse: [exits(2, "no")] },
    flags: ["--include-hook-events"],
    noticed: {
      hookLines: [
        started("PreToolUse", "PreToolUse:Bash"),
        responded("PreToolUse", "PreToolUse:Bash", {
          output: "fine\n",
          stdout: "fine\n",
          exit_code: 0,
          outcome: "success",
        }),
        started("PostToolUse", "PostToolUse:Bash"),
        responded("PostToolUse", "PostToolUse:Bash", {
          output: "no\n",
          stderr: "no\n",
          exit_code: 2,
          outcome: "error",
        }),
        started("Stop", "Stop"),
        responded("Stop", "Stop", { output: "broken\n", stderr: "broken\n", exit_code: 1, outcome: "error" }),
      ],
    },
  },
  {
    name: "on the stream: one that took too long, and what it printed meanwhile",
    event: "Stop",
    hooks: { Stop: [script("echo working; sleep 60", { timeout: 3 })] },
    says: [DONE],
    flags: ["--include-hook-events"],
    noticed: {
      hookLines: [
        started("Stop", "Stop"),
        expect.objectContaining({ subtype: "hook_progress", stdout: "working\n", stderr: "", output: "working\n" }),
        responded("Stop", "Stop", { outcome: "cancelled" }),
      ],
    },
  },
  {
    name: "not on the stream when nobody asked",
    event: "PreToolUse",
    hooks: { PreToolUse: [listens], Stop: [listens] },
    noticed: { hookLines: [] },
  },
];

const off = (name: string, more: Partial<Row>, told: unknown = []): Row => ({
  name,
  event: "PreToolUse",
  hooks: { PreToolUse: [script("exit 2")], SessionStart: [listens] },
  noticed: { told, files: RAN },
  ...more,
});
const SWITCHES: readonly Row[] = [
  off("disableAllHooks of the user", {
    settings: { disableAllHooks: true, permissions: { allow: ["Bash(touch *)"] } },
  }),
  off("--bare", { flags: ["--bare", "--allowedTools", "Bash(touch *)"] }),
  off("--setting-sources without the folder", { flags: ["--setting-sources", "user"] }),
  off("--require-trust in a folder nobody trusts", { flags: ["--require-trust"] }),
];

export const STREAM_AND_SWITCHES: readonly Row[] = [...STREAM, ...SWITCHES];
