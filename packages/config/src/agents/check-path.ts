// Reads the agents at any path, to check files that no session uses yet.

import { readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { AgentDefinition, AgentProblem } from "@keelson/protocol";
import { scanMarkdown } from "../skills/find/scan.ts";
import { createAgentCollector } from "./collect.ts";

export interface CheckedAgents {
  readonly agents: readonly AgentDefinition[];
  readonly problems: readonly AgentProblem[];
}

/** A file, a folder of agents, or a folder with `agents` in it or in its `.claude`. Undefined if it does not exist. */
export function checkAgentsAt(path: string): CheckedAgents | undefined {
  const target = resolve(path);
  const stat = statSync(target, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  const collector = createAgentCollector(() => false);
  const origin = { source: "project" } as const;
  const name = basename(target).replace(/\.md$/, "");
  const found = stat.isDirectory()
    ? scanMarkdown(folderIn(target), collector.scanOptions(undefined), "agents")
    : [{ name, file: target, found: target }];
  for (const each of found) collector.takeFile(each, origin);
  return { agents: [...collector.agents.values()], problems: collector.problems };
}

function folderIn(folder: string): string {
  const names = readdirSync(folder);
  if (names.includes(".claude")) return folderIn(join(folder, ".claude"));
  return names.includes("agents") ? join(folder, "agents") : folder;
}
