// Follows a command until it ends, or until the user moves it to the background, where it continues.

import type { ShellResult } from "@keelson/engine";
import type { AwaitedCommand } from "../tasks/awaited-command.ts";
import type { OutputCollector } from "./output.ts";
import type { RunningCommand } from "./process/command.ts";
import { drain } from "./process/drain.ts";
import { withLimits } from "./process/limited.ts";

export const NOTHING_PRINTED: ShellResult = {
  text: "",
  tail: "",
  size: 0,
  path: null,
  code: null,
  timedOut: false,
  aborted: false,
  cwd: null,
};

export interface FollowOptions {
  readonly child: RunningCommand;
  readonly output: OutputCollector;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Its row in the task table, if it has one. */
  readonly row: AwaitedCommand | undefined;
  /** Ends the command and what it started. */
  stop(): Promise<void>;
  /** The command is over. Returns notes for the model. */
  leave(result: { readonly text: string; readonly code: number | null }): readonly string[];
}

export async function followCommand(options: FollowOptions): Promise<ShellResult> {
  const { row, leave } = options;
  if (!row) return finish(options);
  const finished = finish(options).catch((error: unknown) => {
    row.ended({ code: null, aborted: false });
    if (row.isMoved) leave({ text: "", code: null });
    throw error;
  });
  const movedTo = await Promise.race([row.moved, finished.then(() => undefined)]);
  return movedTo ? { ...NOTHING_PRINTED, movedTo } : finished;
}

async function finish({ child, output, timeoutMs, signal, row, stop, leave }: FollowOptions): Promise<ShellResult> {
  const end = () => {
    row?.ending();
    void stop();
  };
  const limits = { timeoutMs, signal, end, lifted: row?.lifted };
  const { value: code, timedOut, aborted } = await withLimits(drain(child, output), limits);
  row?.ending();
  let notes: readonly string[] = [];
  const printed = output.end(({ text, tail }) => {
    notes = leave({ text: `${text}\n${tail}`, code });
    return row?.isMoved && notes.length > 0 ? `\n${notes.join("\n")}\n` : "";
  });
  const cwd = child.directory();
  row?.ended({ code, aborted });
  return { ...printed, code, timedOut, aborted, cwd, ...(notes.length > 0 ? { notes } : {}) };
}
