// Creates files for people to start from. Never overwrites one, and never writes where a link of a repository leads.

import { closeSync, constants, existsSync, mkdirSync, openSync, realpathSync, writeSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { UsageError } from "../args/invocation.ts";
import { printError } from "../process/process-io.ts";
import { snapshotFor, type Invoked } from "./group.ts";
import { shortenFrom, visible } from "./permissions/words.ts";

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

interface NewFile {
  /** `agent` or `skill`; its command is `keelson <kind>s new`. */
  readonly kind: string;
  /** The file in a `.claude` folder, for a name that was checked. */
  readonly place: (name: string) => string;
  readonly text: (name: string) => string;
}

/** Creates the file in the user's folder or in the project. Returns what to show of it, or the exit code of a failure. */
export async function createNamed(
  call: Invoked,
  { kind, place, text }: NewFile,
): Promise<{ readonly name: string; readonly shown: string } | number> {
  const { given, words, io } = call;
  const [name, ...more] = words;
  if (name === undefined || more.length > 0)
    throw new UsageError(`usage: keelson ${kind}s new <name> [--user | --project]`);
  if (given.has("user") && given.has("project")) throw new UsageError("use either --user or --project");
  if (!NAME.test(name)) {
    const what = `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind}`;
    return printError(io, `"${visible(name)}" is not a name for ${what}; use up to 64 letters, digits, -, _ and .`);
  }
  const { cwd, home, configDir, flags } = await snapshotFor(call);
  const short = shortenFrom(cwd, home);
  const isUser = given.has("user");
  const top = isUser ? configDir : (flags.projectConfigRoot ?? cwd);
  const file = join(top, ...(isUser ? [] : [".claude"]), place(name));
  const folder = dirname(file);
  try {
    // People keep their own folder elsewhere; a repository must not decide where a file is written.
    const outside = isUser ? undefined : leadsOut(folder, top);
    if (outside !== undefined) {
      return printError(io, `${short(folder)} leads out of this folder, to ${visible(outside)}; nothing was written`);
    }
    mkdirSync(folder, { recursive: true });
    writeNew(file, text(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST")
      return printError(io, `${short(file)} already exists; choose another name`);
    const { whyNotWritten } = await import("@keelson/config");
    return printError(io, `${short(file)} cannot be written ${await whyNotWritten(error)}`);
  }
  return { name, shown: short(file) };
}

/** Where the folder really is, or its nearest parent that exists, if that is outside. */
function leadsOut(folder: string, top: string): string | undefined {
  let nearest = folder;
  while (!existsSync(nearest)) nearest = dirname(nearest);
  const real = realpathSync(nearest);
  const root = realpathSync(top);
  return real === root || real.startsWith(root + sep) ? undefined : real;
}

/** Throws if there is one already. */
function writeNew(file: string, text: string): void {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const fd = openSync(file, flags, 0o644);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
}
