// keelson skills new: creates a skill to start from. Never overwrites a file and never writes through a link that leads
// out of the folder.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../args/invocation.ts";
import { printError } from "../../process/process-io.ts";
import { snapshotFor, type Invoked } from "../group.ts";
import { leadsOut, writeNew } from "../new-file.ts";
import { shortenFrom, visible } from "../permissions/words.ts";

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

export async function newSkill(call: Invoked): Promise<number> {
  const { given, words, io } = call;
  const [name, ...more] = words;
  if (name === undefined || more.length > 0)
    throw new UsageError("usage: keelson skills new <name> [--user | --project]");
  if (given.has("user") && given.has("project")) throw new UsageError("use either --user or --project");
  if (!NAME.test(name)) {
    return printError(io, `"${visible(name)}" is not a name for a skill; use up to 64 letters, digits, -, _ and .`);
  }
  const { cwd, home, configDir, flags } = await snapshotFor(call);
  const short = shortenFrom(cwd, home);
  const top = given.has("user") ? configDir : (flags.projectConfigRoot ?? cwd);
  const folder = given.has("user") ? join(configDir, "skills", name) : join(top, ".claude", "skills", name);
  const file = join(folder, "SKILL.md");
  try {
    // People keep their own folder elsewhere; a repository must not decide where a file is written.
    const outside = given.has("user") ? undefined : leadsOut(folder, top);
    if (outside !== undefined) {
      return printError(io, `${short(folder)} leads out of this folder, to ${visible(outside)}; nothing was written`);
    }
    mkdirSync(folder, { recursive: true });
    writeNew(file, template(name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return printError(io, `${short(file)} already exists; choose another name`);
    return printError(io, `${short(file)} cannot be written (${code ?? (error as Error).message})`);
  }
  const { bundledNames } = await import("@keelson/runtime/skills");
  const replaces = bundledNames().includes(name) ? `It replaces the built-in skill /${name}\n` : "";
  await io.write(
    `Created ${short(file)}\n${replaces}Edit its description and text, then type /${name} or ask for it\n`,
  );
  return 0;
}

const template = (name: string) => `---
name: ${name}
description: Says in one sentence what this does. Use when the user asks for it.
---

# ${name}

Instructions for the model, read only when the skill is used. Short steps work best:

1. Look at what is there before changing anything.
2. Do the work: $ARGUMENTS
3. Check the result, and report what changed.

Longer material can be in files next to this one, such as \${CLAUDE_SKILL_DIR}/reference.md; say here when to read them.
`;
