// A typed skill or command: how it appears in the conversation, and what the user should know about it. Loaded when one is typed.

import type { Snapshot } from "@keelson/config";
import type { Skill } from "@keelson/protocol";
import { relative } from "node:path";
import { bundledFor } from "./bundled/bundled.ts";

/** Clients look for these tags (test/sessions/skills/invoke.test.ts). */
export function commandHeading(name: string, args: string): string {
  const lines = [`<command-message>${name}</command-message>`, `<command-name>/${name}</command-name>`];
  if (args !== "") lines.push(`<command-args>${args}</command-args>`);
  return lines.join("\n");
}

/** Whoever types /security-review to judge a folder must not get that folder's own text without knowing it. */
export function warnOfStandIn({ name, file }: Skill, snapshot: Snapshot, warn: (text: string) => void): void {
  if (!bundledFor(snapshot).some((each) => each.name === name)) return;
  const own = relative(snapshot.cwd, file);
  warn(`/${name} is not the built-in skill but ${own} of this folder, which is not trusted`);
}
