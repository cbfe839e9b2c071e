// Runs a shell with the user's startup files and reads what a script prints in it. Kills it when done or on timeout. It runs
// behind the shield, because these files run others that commands may have changed.

import { withMark } from "./child-env.ts";
import type { Groups } from "../process/groups.ts";
import type { Shielded } from "../../sandbox/shield/shield.ts";

const LIMIT_MS = 10_000;
const MAX_BYTES = 2 * 1024 * 1024;

export interface StartFiles {
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs?: number;
  /** Gets the process group, so it is ended with the session. */
  readonly groups: Pick<Groups, "start" | "leaderEnded" | "isAlive" | "end">;
  /** How to start it behind the shield; null if there is none. */
  shield?(argv: readonly string[]): Promise<Shielded | null>;
}

/** The output; null if it is too long, incomplete, or too late. */
export async function readShellOutput(
  argv: string[],
  isWhole: (text: string) => boolean,
  { env, groups, limitMs = LIMIT_MS, shield }: StartFiles,
): Promise<string | null> {
  const shielded = await shield?.(argv);
  const start = (mark: string) =>
    Bun.spawn(shielded?.argv ?? argv, {
      cwd: env["HOME"],
      env: withMark(env, mark),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
      detached: true,
    });
  const child = groups.start(start, { isWrapper: shielded?.isWrapper === true });
  void child.exited.then(() => groups.leaderEnded(child.pid));
  const end = () => {
    if (child.exitCode !== null || child.signalCode !== null) {
      // The group may be that of another program by now.
      if (groups.isAlive(child.pid)) void groups.end(child.pid);
      return;
    }
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // already gone
    }
  };
  const timer = setTimeout(end, limitMs);
  try {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of child.stdout) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_BYTES) return null;
      // A background process from a startup file may keep the pipe open, so stop at the last line.
      const text = Buffer.concat(chunks).toString();
      if (isWhole(text)) return text;
    }
    return null;
  } finally {
    clearTimeout(timer);
    end();
    shielded?.leave({ text: "", code: 0 });
  }
}
