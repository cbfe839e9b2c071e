// A command that a tool call waits for, as a row in the task table. It can move to the background while it runs: the
// same process continues, its output goes to a file, and nothing limits its time any more.

import type { BackgroundCommand, CommandTask } from "@keelson/engine";
import { createPrivateFile } from "../files/private-file.ts";
import type { OutputCollector } from "../shell/output.ts";
import { BACKGROUND_LIMIT } from "./background-limit.ts";
import { newTaskId } from "./task-id.ts";
import type { Tasks } from "./task-table.ts";

/** Commands that end earlier are not announced. */
const ANNOUNCE_AFTER_MS = 3_000;

export interface AwaitedOptions {
  readonly command: string;
  readonly toolUseId: string;
  readonly task: CommandTask;
  readonly tasks: Tasks;
  /** For the output, should it move. */
  readonly directory: string;
  readonly output: OutputCollector;
  /** Ends the command and what it started. */
  stop(): Promise<void>;
}

export interface AwaitedCommand {
  /** Resolves when it moves to the background. */
  readonly moved: Promise<BackgroundCommand>;
  /** Aborted when it moves. */
  readonly lifted: AbortSignal;
  readonly isMoved: boolean;
  /** It is being ended, so it can no longer move. */
  ending(): void;
  ended(how: { readonly code: number | null; readonly aborted: boolean }): void;
}

export function awaitCommand(options: AwaitedOptions): AwaitedCommand {
  const { command, toolUseId, task, tasks, directory, output, stop } = options;
  const { description, owner, mayMove } = task;
  const id = newTaskId("b");
  const moved = Promise.withResolvers<BackgroundCommand>();
  const lifted = new AbortController();
  let isEnding = false;

  const toBackground = () => {
    if (isEnding) return false;
    const limit = { ...BACKGROUND_LIMIT, full: () => void stop() };
    const outputPath = output.moveToFile(() => createPrivateFile(directory, `${id}.output`), limit);
    if (outputPath === null) return false;
    lifted.abort();
    row.backgrounded(outputPath);
    moved.resolve({ id, outputPath });
    return true;
  };
  const row = tasks.start(
    {
      id,
      type: "local_bash",
      command,
      description,
      toolUseId,
      outputPath: "",
      inBackground: false,
      ...(owner === undefined ? {} : { owner }),
    },
    stop,
    { announceAfterMs: ANNOUNCE_AFTER_MS, ...(mayMove ? { toBackground } : {}) },
  );
  return {
    moved: moved.promise,
    lifted: lifted.signal,
    get isMoved() {
      return lifted.signal.aborted;
    },
    ending: () => void (isEnding = true),
    ended: ({ code, aborted }) =>
      row.end({ status: aborted ? "killed" : code === 0 ? "completed" : "failed", exitCode: code }),
  };
}
