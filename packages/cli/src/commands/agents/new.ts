// keelson agents new: creates an agent to start from. Never overwrites a file and never writes through a link that leads
// out of the folder.

import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../../args/invocation.ts";
import { printError } from "../../process/process-io.ts";
import { snapshotFor, type Invoked } from "../group.ts";
import { leadsOut, writeNew } from "../new-file.ts";
import { shortenFrom, visible } from "../permissions/words.ts";

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

export async function newAgent(call: Invoked): Promise<number> {
  const { given, words, io } = call;
  const [name, ...more] = words;
  if (name === undefined || more.length > 0)
    throw new UsageError("usage: keelson agents new <name> [--user | --project]");
  if (given.has("user") && given.has("project")) throw new UsageError("use either --user or --project");
  if (!NAME.test(name)) {
    return printError(io, `"${visible(name)}" is not a name for an agent; use up to 64 letters, digits, -, _ and .`);
  }
  const { cwd, home, configDir, flags } = await snapshotFor(call);
  const short = shortenFrom(cwd, home);
  const top = given.has("user") ? configDir : (flags.projectConfigRoot ?? cwd);
  const file = join(top, ...(given.has("user") ? [] : [".claude"]), "agents", `${name}.md`);
  try {
    // People keep their own folder elsewhere; a repository must not decide where a file is written.
    const outside = given.has("user") ? undefined : leadsOut(dirname(file), top);
    if (outside !== undefined) {
      return printError(
        io,
        `${short(dirname(file))} leads out of this folder, to ${visible(outside)}; nothing was written`,
      );
    }
    mkdirSync(dirname(file), { recursive: true });
    writeNew(file, template(name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return printError(io, `${short(file)} already exists; choose another name`);
    return printError(io, `${short(file)} cannot be written (${code ?? (error as Error).message})`);
  }
  await io.write(
    `Created ${short(file)}\nEdit its description and text, then ask for it, or run: keelson -p --agent ${name} "…"\n`,
  );
  return 0;
}

const template = (name: string) => `---
name: ${name}
description: Says in one sentence what this agent does. Use when the user asks for it.
tools: Read, Grep, Glob, Bash
model: inherit
---

You do one kind of task. Say here what it is, and what a good result looks like.

1. Look at what is there before you change anything.
2. Do the work.
3. Check the result.

Your last message is all that the caller sees: begin with the outcome, then name the files that matter.
`;
