// The hook processes of one session: started on demand, and ended with the session however it ends.

import type { CommandHook, HookRun } from "@keelson/protocol";
import { makeDataFolder } from "../plugins/data-folder.ts";
import { randomHex } from "../random.ts";
import { withMark } from "../shell/environment/child-env.ts";
import { createGuardedGroups } from "../shell/process/guarded-groups.ts";
import { loadPipes, type OpenPipe } from "../shell/process/pipe.ts";
import { runCommandHook, type CommandHookOptions } from "./command/command.ts";

export type HookRunOptions = Omit<CommandHookOptions, "groups" | "openPipe" | "closing">;

export interface HookProcesses {
  /** Never throws: a hook that cannot start is a failed run. */
  run(handler: CommandHook, input: string, options: HookRunOptions): Promise<HookRun>;
  /** Ends all hooks and the processes they left, even those that ignore TERM or started their own session. */
  close(): Promise<void>;
}

export function createHookProcesses(): HookProcesses {
  const token = randomHex(16);
  const { groups, guard, prepare, reaper } = createGuardedGroups(token);
  const closing = new AbortController();
  let prepared: Promise<[OpenPipe | null, void]> | undefined;

  return {
    async run(handler, input, options) {
      // After close nothing is started, and the run is reported as cancelled.
      if (!closing.signal.aborted) guard();
      makeDataFolder(options.env);
      const [openPipe] = await (prepared ??= Promise.all([loadPipes(), prepare()]));
      const env = withMark(options.env, token);
      return runCommandHook(handler, input, { ...options, env, groups, openPipe, closing: closing.signal });
    },
    async close() {
      closing.abort();
      const guardian = reaper();
      if (!guardian) return;
      await groups.endAll();
      await guardian.dismiss();
    },
  };
}
