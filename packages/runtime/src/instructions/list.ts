// Lists the instructions a session would start with. Opens no session and fires no hooks.

import type { Snapshot } from "@keelson/config";
import { loadInstructions, memoryDirectory, type InstructionSet } from "@keelson/config/instructions";
import { projectDir } from "@keelson/store";

export interface ListedInstructions {
  readonly set: InstructionSet;
  /** The memory folder; absent if memory is off. */
  readonly memory?: string;
}

/** The files from outside the project that would be included, also by one another: real paths. Reads them to find out. */
export async function outsideIncludes(snapshot: Snapshot): Promise<readonly string[]> {
  const found = new Set<string>();
  await listInstructions(snapshot, (real) => found.add(real).has(real));
  return [...found];
}

/** Lists the same files as a session, including the effect of deny rules. */
export async function listInstructions(
  snapshot: Snapshot,
  isApproved?: (real: string) => boolean,
): Promise<ListedInstructions> {
  const { configDir, env } = snapshot;
  const dirName = env["CLAUDE_CODE_PROJECT_DIR_NAME"];
  const projectDirectory = (root: string) => projectDir({ configDir, cwd: root, dirName });
  const memory = memoryDirectory(snapshot, projectDirectory);
  const denied = new Map<string, boolean>();
  for (;;) {
    const unknown = new Set<string>();
    // The gate is asynchronous, loading is not: ask the gate about unknown files afterwards, then load again.
    const isDenied = (path: string) => denied.get(path) ?? unknown.add(path).has(path);
    const set = loadInstructions(snapshot, {
      projectDirectory,
      ...(isApproved ? { isApproved } : {}),
      ...(hasDenyRules(snapshot) ? { isDenied } : {}),
    });
    if (unknown.size === 0) return { set, ...(memory === undefined ? {} : { memory }) };
    const { openExplainer } = await import("../gate/explain-call.ts");
    const explainer = openExplainer(snapshot);
    for (const path of unknown) {
      const judged = await explainer.judge({ tool: "Read", input: { file_path: path } });
      denied.set(path, !judged.ok || judged.decision.behavior === "deny");
    }
  }
}

const hasDenyRules = ({ rules }: Snapshot) => rules.some(({ behavior }) => behavior === "deny");
