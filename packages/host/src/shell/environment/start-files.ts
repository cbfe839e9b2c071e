// A shell that reads the user's start files and prints what we ask for. It is ended as soon as it has, or in time.

import type { Groups } from "../process/groups.ts";

const LIMIT_MS = 10_000;
const MAX_BYTES = 2 * 1024 * 1024;

export interface StartFiles {
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs?: number;
  /** Told of the process group that reads the start files, so that it is ended with us. */
  readonly groups: Pick<Groups, "add" | "leaderEnded">;
}

/** What it printed; null when it printed too much, too little, or took too long. */
export async function readShellOutput(
  argv: string[],
  isWhole: (text: string) => boolean,
  { env, groups, limitMs = LIMIT_MS }: StartFiles,
): Promise<string | null> {
  const child = Bun.spawn(argv, {
    cwd: env["HOME"],
    env: { ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    detached: true,
  });
  groups.add(child.pid);
  void child.exited.then(() => groups.leaderEnded(child.pid));
  const end = () => {
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
      // Something a start file left in the background may hold the pipe open: the last line is the end.
      const text = Buffer.concat(chunks).toString();
      if (isWhole(text)) return text;
    }
    return null;
  } finally {
    clearTimeout(timer);
    end();
  }
}
