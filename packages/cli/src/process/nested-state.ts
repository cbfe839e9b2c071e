// A Keelson that is run as a command of another. The configuration folder is read-only for commands, so this one reads its
// settings there and writes everything else to a folder that is removed with the outer session.

import {
  accessSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  symlinkSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { projectDir } from "@keelson/store";
import type { ProcessIO } from "./process-io.ts";

/**
 * What sessions write. Everything else in the folder is configuration, and is shared. The secret is hidden from commands, so what
 * it proves cannot be shared either: a folder is believed as it is, which lets this Keelson do no more than any command.
 */
const STATE = new Set([
  "projects",
  "history.jsonl",
  "file-history",
  "shell-snapshots",
  "session-env",
  "tasks",
  "teams",
  "todos",
  "plans",
  "cache",
  "backups",
  "debug",
  "agent-memory",
  "keelson-web",
  ".claude.json",
  // The key is hidden from commands, and without it no record of trust can be checked.
  "keelson-seal",
  "trust",
]);

/** The same I/O unless the configuration folder is in fact read-only: a variable alone must not move anyone's state. */
export function withNestedState(io: ProcessIO, state: string): ProcessIO {
  const { env, home } = io;
  const moved = env["CLAUDE_CONFIG_DIR"];
  const configDir = moved ? resolve(io.cwd, moved) : join(home, ".claude");
  if (!isReadOnly(configDir)) return io;
  try {
    mkdirSync(state, { recursive: true, mode: 0o700 });
    const { uid, mode } = lstatSync(state);
    if (uid !== io.uid || (mode & 0o077) !== 0) return io;
    fill(state, configDir, join(moved ? configDir : home, ".claude.json"));
    bringMemory(state, configDir, io);
  } catch {
    return io; // as in a read-only home: the session works, and is not saved
  }
  return { ...io, env: { ...env, CLAUDE_CONFIG_DIR: state, CLAUDE_CODE_TMPDIR: state } };
}

function isReadOnly(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "EROFS" || (code === "EPERM" && process.platform === "darwin");
  }
}

function fill(state: string, configDir: string, globalFile: string): void {
  const copy = join(state, ".claude.json");
  if (!existsSync(copy) && existsSync(globalFile)) copyFileSync(globalFile, copy);
  for (const entry of readdirSync(configDir, { withFileTypes: true })) {
    // A file that is hidden from commands looks like something else.
    const isReadable = entry.isFile() || entry.isDirectory() || entry.isSymbolicLink();
    if (isReadable && !STATE.has(entry.name)) link(join(configDir, entry.name), join(state, entry.name));
  }
}

/** Another Keelson in the same session may be first. */
function link(target: string, path: string): void {
  try {
    symlinkSync(target, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** A copy, because links in these folders are not followed. */
function bringMemory(state: string, configDir: string, io: ProcessIO): void {
  const place = { cwd: realpathSync(io.cwd), dirName: io.env["CLAUDE_CODE_PROJECT_DIR_NAME"] };
  const inProject = (folder: string) => join(projectDir({ configDir: folder, ...place }), "memory");
  const pairs = [
    [inProject(configDir), inProject(state)],
    [join(configDir, "agent-memory"), join(state, "agent-memory")],
  ] as const;
  for (const [from, to] of pairs) if (existsSync(from) && !existsSync(to)) cpSync(from, to, { recursive: true });
}
