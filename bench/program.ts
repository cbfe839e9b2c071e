// Runs a program once and measures wall time, CPU including children, and the program's own peak memory.

import { readFileSync } from "node:fs";
import { clock } from "./clock.ts";

export interface Cost {
  readonly started: number;
  readonly ended: number;
  readonly wallMs: number;
  readonly cpuMs: number;
  /** 0 if the program exited before the first sample. */
  readonly peakMb: number;
  readonly stdoutBytes: number;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs?: number;
}

export async function runProgram(command: readonly string[], options: RunOptions): Promise<Cost> {
  const started = clock();
  const child = Bun.spawn([...command], {
    cwd: options.cwd,
    env: { ...options.env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: options.limitMs ?? 120_000,
    killSignal: "SIGKILL",
  });
  const memory = watchMemory(child.pid);
  const stderr = child.stderr.text();
  let stdoutBytes = 0;
  for await (const chunk of child.stdout) stdoutBytes += chunk.length;
  await child.exited;
  const ended = clock();
  const peakMb = memory.stop();
  if (child.exitCode !== 0) {
    const how = child.signalCode ? `was killed by ${child.signalCode}` : `exited with code ${child.exitCode}`;
    throw new Error(`"${command.slice(0, 3).join(" ")} …" ${how}: ${(await stderr).slice(0, 500)}`);
  }
  const usage = child.resourceUsage();
  return {
    started,
    ended,
    wallMs: ended - started,
    cpuMs: Number(usage?.cpuTime.total ?? 0) / 1000,
    peakMb: peakMb ?? (usage?.maxRSS ?? 0) / 1e6,
    stdoutBytes,
  };
}

/** Samples the kernel's peak. On Linux, `resourceUsage()` is wrong: a child starts with its parent's peak. */
function watchMemory(pid: number): { stop(): number | undefined } {
  if (process.platform !== "linux") return { stop: () => undefined };
  let peakKb = 0;
  const look = () => {
    try {
      const status = readFileSync(`/proc/${pid}/status`, "latin1");
      peakKb = Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1] ?? peakKb);
    } catch {
      // It has exited; keep the last sample.
    }
  };
  const timer = setInterval(look, 2);
  return {
    stop() {
      clearInterval(timer);
      return (peakKb * 1024) / 1e6;
    },
  };
}
