// The text of a skill or an agent, read when it is needed. The file may have changed since it was found, but not where it is.

import { closeSync, constants, fstatSync, openSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import type { Skill } from "@keelson/protocol";
import { ConfigError } from "../errors.ts";
import { readHead } from "./frontmatter/head.ts";
import { looksLikeText } from "./plain.ts";

const MAX_BYTES = 1024 * 1024;

/** Without the frontmatter. Throws ConfigError if the file cannot be read. */
export function readSkillText({ name, file }: Pick<Skill, "name" | "file">): string {
  return readBody(file, (why) => new ConfigError(`The file of /${name} cannot be used: ${file} ${why}`));
}

/** The text of a file without its frontmatter. Throws what `failure` makes of the reason if it cannot be read. */
export function readBody(file: string, failure: (why: string) => ConfigError): string {
  const source = readWhole(file, failure);
  return source.slice(readHead(source).bodyAt);
}

function readWhole(file: string, failure: (why: string) => ConfigError): string {
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  let fd: number | undefined;
  try {
    fd = openSync(file, flags);
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw failure("is not a regular file");
    if (stat.size > MAX_BYTES) throw failure("is larger than 1 MiB");
    // No folder above it may have become a link.
    if (!isAt(fd, file, stat.ino)) throw failure("has moved; reload it");
    const text = readFileSync(fd, "utf8");
    if (!looksLikeText(text)) throw failure("is not text; save it as UTF-8");
    return text.replaceAll("\0", "");
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") throw failure("no longer exists");
    throw failure(code === "ELOOP" ? "is now a link; reload it" : `cannot be read (${code})`);
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function isAt(fd: number, file: string, inode: number): boolean {
  if (process.platform === "linux") {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === file;
    } catch {
      // There is no /proc; compare below.
    }
  }
  return realpathSync(file) === file && statSync(file).ino === inode;
}
