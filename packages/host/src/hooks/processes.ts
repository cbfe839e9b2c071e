// The hook processes of one session: started on demand, and ended with the session however it ends.

import type { CommandHook, HookRun } from "@keelson/protocol";
import { makeDataFolder } from "../plugins/data-folder.ts";
import { createPrograms, type Programs } from "../programs/registry/programs.ts";
import { randomHex } from "../random.ts";
import { createGuardedGroups } from "../shell/process/guarded-groups.ts";
import { loadPipes, type OpenPipe } from "../shell/process/pipe.ts";
import { runCommandHook, type CommandHookOptions } from "./command/command.ts";

export type HookRunOptions = Omit<CommandHookOptions, "groups" | "openPipe" | "closing" | "programs">;

export interface HookProcesses {
  /** Never throws: a hook that cannot start is a failed run. */
  run(handler: CommandHook, input: string, options: HookRunOptions): Promise<HookRun>;
  /** Ends all hooks and the processes they left, even those that ignore TERM or started their own session. */
  close(): Promise<void>;
}

/** `programs` of the session; without one, programs are looked up when they are first used. */
export function createHookProcesses(programs?: () => Programs): HookProcesses {
  const own = createPrograms(undefined);
  const token = randomHex(16);
  const { groups, guard, prepare, reaper, endAll, dismiss } = createGuardedGroups(token);
  const closing = new AbortController();
  let prepared: Promise<[OpenPipe | null, void]> | undefined;

  return {
    async run(handler, input, options) {
      // After close nothing is started, and the run is reported as cancelled.
      if (!closing.signal.aborted) guard();
      makeDataFolder(options.env);
      const [openPipe] = await (prepared ??= Promise.all([loadPipes(), prepare()]));
      return runCommandHook(handler, input, {
        ...options,
        groups,
        openPipe,
        closing: closing.signal,
        programs: programs?.() ?? own,
      });
    },
    async close() {
      closing.abort();
      if (!reaper()) return;
      await endAll();
      await dismiss();
    },
  };
}
