// The tools that a session has only if a variable, a setting or `--tools` asks for them. They cost other sessions
// nothing: neither a module nor a line of the request.

import type { Tool } from "@keelson/engine";
import type { SessionHooks } from "../hooks/session-hooks.ts";
import type { Machine } from "../machine/machine.ts";
import type { Storage } from "../session/storage.ts";
import { WANTED } from "./wanted.ts";

export interface OptionalToolParts {
  readonly storage: Storage;
  readonly machine: Machine;
  readonly hooks: Pick<SessionHooks, "fire">;
}

export async function optionalTools(parts: OptionalToolParts): Promise<readonly Tool[]> {
  const { snapshot } = parts.storage.state;
  const names = Object.keys(WANTED).filter((name) => snapshot.flags.tools?.includes(name) || WANTED[name]!(snapshot));
  if (names.length === 0) return [];
  const { makeTools } = await import("./make-tools.ts");
  return makeTools(names, parts);
}

/** How to go on without the tools that need someone who answers. */
const WITHOUT_ANSWERS: Readonly<Record<string, string>> = {
  AskUserQuestion: "No one can answer here: decide yourself, and say at the end what you assumed.",
  EnterPlanMode: "No one can approve a plan here: go on without it.",
  ExitPlanMode: "No one can approve a plan here: end with the plan as your answer.",
};

/** What the model sees if it calls one that the session does not have. `all` are those that it has, offered or not. */
export function whyNotOffered(name: string, all: readonly Pick<Tool, "name">[]): string | undefined {
  if (Object.hasOwn(WITHOUT_ANSWERS, name) && !all.some((tool) => tool.name === name)) return WITHOUT_ANSWERS[name];
  if (!Object.hasOwn(WANTED, name)) return undefined;
  return `${name} exists but is not enabled in this context. Use the tools that are available.`;
}
