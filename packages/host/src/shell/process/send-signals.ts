// Sends signals to processes that were found earlier, never to another one to which the pid was given since.

import { constants } from "node:os";
import { loadLibc } from "../../programs/libc.ts";
import { runningProcess, type Process } from "./process-table.ts";

export interface Target {
  readonly process: Process;
  /** With everything in its group, also what is being forked. */
  readonly wholeGroup: boolean;
}

export type SendSignal = (targets: readonly Target[], signal: NodeJS.Signals) => void;

/** The same numbers on all kinds of processors. */
const PIDFD_SEND_SIGNAL = 424;
const PIDFD_OPEN = 434;

/** With descriptors of the processes, if the kernel has them: nothing can come between the check and the signal. */
export async function loadSendSignal(): Promise<SendSignal> {
  const libc = await loadLibc({
    syscall: { args: ["i64", "i64", "i64", "i64", "i64"], returns: "i64" },
    close: { args: ["i32"], returns: "i32" },
  });
  if (!libc) return sendSignal;
  const open = (pid: number) => Number(libc.syscall(PIDFD_OPEN, pid, 0, 0, 0));
  return (targets, signal) => {
    for (const target of targets) {
      const fd = target.wholeGroup ? -1 : open(target.process.pid);
      if (fd < 0) {
        sendSignal([target], signal);
        continue;
      }
      if (isStill(target.process)) libc.syscall(PIDFD_SEND_SIGNAL, fd, constants.signals[signal], 0, 0);
      libc.close(fd);
    }
  };
}

const sendSignal: SendSignal = (targets, signal) => {
  for (const { process: target, wholeGroup } of targets) {
    if (!isStill(target)) continue;
    try {
      process.kill(wholeGroup ? -target.group : target.pid, signal);
    } catch {
      // already gone
    }
  }
};

/** Whether it runs and is in the same group, so neither number was given to another since. */
function isStill({ pid, group, began }: Process): boolean {
  if (process.platform !== "linux") return true;
  const now = runningProcess(pid);
  return now?.began === began && now.group === group;
}
