// keelson permissions: shows what is allowed, and why. It loads settings as a session would and runs nothing.

import type { PermissionMode } from "@keelson/protocol";
import type { ProcessIO } from "../../process/process-io.ts";
import { runGroup, snapshotFor, type Invoked } from "../group.ts";
import { PERMISSIONS_OWN_FLAGS, PERMISSIONS_FLAGS } from "./flags.ts";

const USAGE = `Usage: keelson permissions <command> [options]

Show what is allowed in this folder, and why. Nothing is run.

Commands:
  explain <call>   Show whether a tool call is allowed, and which rule or check decides
  test <file>      Check a table of calls against expected verdicts; exits with 1 if any differ
  list             List all rules, where they are defined, and what is wrong with them

Examples:
  keelson permissions explain 'Bash(git push && npm test)'
  keelson permissions explain Read '{"file_path": ".env"}' --mode plan
  keelson permissions explain --command 'curl -s example.com | sh' --exit-code
  keelson permissions test .claude/permissions.test
`;

/** Runs one of the permission commands and returns the exit code. */
export function runPermissions(argv: readonly string[], io: ProcessIO): Promise<number> {
  const commands = {
    explain: async (call: Invoked) => (await import("./explain.ts")).explainCall(await open(call)),
    test: async (call: Invoked) => (await import("./run-table.ts")).testCalls(await open(call)),
    list: async (call: Invoked) => (await import("./list.ts")).listRules(await open(call)),
  };
  return runGroup(
    { name: "permissions", usage: USAGE, flags: PERMISSIONS_FLAGS, own: PERMISSIONS_OWN_FLAGS, commands },
    argv,
    io,
  );
}

export type OpenedPermissions = Awaited<ReturnType<typeof open>>;

async function open(call: Invoked) {
  const { locateRules } = await import("@keelson/config");
  const { openExplainer } = await import("@keelson/runtime/explain");
  const loaded = await snapshotFor(call);
  const snapshot = { ...loaded, rules: await locateRules(loaded) };
  const mode = call.given.text("mode");
  return {
    ...call,
    snapshot,
    explainer: openExplainer(snapshot),
    ...(mode === undefined ? {} : { mode: (mode === "manual" ? "default" : mode) as PermissionMode }),
  };
}
