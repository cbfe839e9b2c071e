// keelson agents new: creates an agent to start from.

import type { Invoked } from "../group.ts";
import { createNamed } from "../new-file.ts";

export async function newAgent(call: Invoked): Promise<number> {
  const made = await createNamed(call, { kind: "agent", place: (name) => `agents/${name}.md`, text: template });
  if (typeof made === "number") return made;
  await call.io.write(
    `Created ${made.shown}\nEdit its description and text, then ask for it, or run: keelson -p --agent ${made.name} "…"\n`,
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
