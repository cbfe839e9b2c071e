// Fake I/O for tests of commands: temporary folders, captured output, and no sessions.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ProcessIO } from "../process/process-io.ts";

export interface Seen {
  readonly code: number;
  readonly out: string;
  readonly err: readonly string[];
}

/** A temporary folder with `home` and `project` inside. */
export function scratch(name: string): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), `keelson-${name}-`)));
  mkdirSync(join(root, "home"));
  mkdirSync(join(root, "project"));
  return root;
}

export const removed = (root: string) => rmSync(root, { recursive: true, force: true });

export function put(root: string, path: string, content: unknown): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  return file;
}

export async function withFakeIO(
  root: string,
  run: (io: ProcessIO) => Promise<number>,
  more: Partial<ProcessIO> = {},
): Promise<Seen> {
  let out = "";
  const err: string[] = [];
  const code = await run({
    cwd: join(root, "project"),
    home: join(root, "home"),
    env: {},
    platform: "linux",
    uid: 1000,
    managedDir: join(root, "managed"),
    terminal: { stdin: true, stdout: false },
    sessions: () => Promise.reject(new Error("A session was opened")),
    async *stdin() {},
    write: (text) => void (out += text),
    error: (text) => void err.push(text),
    append: () => undefined,
    wait: () => new Promise<never>(() => undefined),
    onSignal: () => () => undefined,
    exit: () => undefined,
    ...more,
  });
  return { code, out, err };
}
