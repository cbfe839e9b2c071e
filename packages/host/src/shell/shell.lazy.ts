// Lazy twin of shell.ts (18 ms unbundled): a session without commands never loads it.

import { ToolError } from "@keelson/engine";
import type * as Status from "../sandbox/shield/status.ts";
import type { SessionShell, ShellOptions } from "./shell.ts";

export function createShell(options: ShellOptions): SessionShell {
  let shell: Promise<SessionShell> | undefined;
  let closed = false;
  let trial: ReturnType<typeof Status.shieldStatus> | undefined;
  const load = async () => (await import("./shell.ts")).createShell(options, trial);
  const open = () => {
    if (closed && !shell) throw new ToolError("The session is closing; no more commands can be started.");
    return (shell ??= load());
  };
  return {
    run: async (...args) => (await open()).run(...args),
    background: async (...args) => (await open()).background(...args),
    confine: async (program) => (await open()).confine(program),
    undoChanges: async () => (shell ? (await shell).undoChanges() : false),
    hidesDenied: async (cwd, owner) => (await open()).hidesDenied(cwd, owner),
    async warm() {
      if (closed) return;
      if (!shell) trial = startTrial(options);
      await (await open()).warm();
    },
    hasRun: async () => (shell ? (await shell).hasRun() : false),
    async close() {
      closed = true;
      await (shell ? (await shell).close() : options.sandbox?.close());
    },
  };
}

/** It takes as long as loading the rest, which waits for it. */
function startTrial({ shield }: ShellOptions): ReturnType<typeof Status.shieldStatus> | undefined {
  if (!shield) return undefined;
  const { shieldStatus } = require("../sandbox/shield/status.ts") as typeof Status;
  return shieldStatus({ path: shield.env["PATH"], bwrapPath: shield.bwrapPath });
}
