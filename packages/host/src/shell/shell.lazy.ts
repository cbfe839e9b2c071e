// Lazy twin of shell.ts (18 ms unbundled): a session without commands never loads it.

import { ToolError } from "@keelson/engine";
import type { SessionShell, ShellOptions } from "./shell.ts";

export function createShell(options: ShellOptions): SessionShell {
  let shell: Promise<SessionShell> | undefined;
  let closed = false;
  const load = async () => (await import("./shell.ts")).createShell(options);
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
    warm: async () => (closed ? undefined : (await open()).warm()),
    hasRun: async () => (shell ? (await shell).hasRun() : false),
    async close() {
      closed = true;
      await (shell ? (await shell).close() : options.sandbox?.close());
    },
  };
}
