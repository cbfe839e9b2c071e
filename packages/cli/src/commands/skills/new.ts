// keelson skills new: creates a skill to start from.

import type { Invoked } from "../group.ts";
import { createNamed } from "../new-file.ts";

export async function newSkill(call: Invoked): Promise<number> {
  const made = await createNamed(call, { kind: "skill", place: (name) => `skills/${name}/SKILL.md`, text: template });
  if (typeof made === "number") return made;
  const { bundledNames } = await import("@keelson/runtime/skills");
  const replaces = bundledNames().includes(made.name) ? `It replaces the built-in skill /${made.name}\n` : "";
  await call.io.write(
    `Created ${made.shown}\n${replaces}Edit its description and text, then type /${made.name} or ask for it\n`,
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
