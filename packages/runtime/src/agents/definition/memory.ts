// What an agent keeps between sessions: a folder of its own, and how the agent learns about it.

import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { Snapshot } from "@keelson/config";
import { readMemoryIndex } from "@keelson/config/instructions";
import { holdOwnFolder } from "@keelson/disk/own-files";
import type { AgentDefinition } from "@keelson/protocol";
import { isVariableOn } from "@keelson/protocol";

type Remembering = Pick<AgentDefinition, "name" | "memory">;

/** A section of its system prompt; undefined if it has no memory. The folder is created. */
export function agentMemory(agent: Remembering, snapshot: Snapshot): string | undefined {
  const folder = agentMemoryFolder(agent, snapshot);
  if (folder === undefined) return undefined;
  const index = readMemoryIndex(folder);
  return [
    "# Your memory",
    `${folder}/ is yours, and outlasts this session. ${SCOPES[agent.memory!]} Keep what will help you next time with the normal file tools: what you learned about the code, what the user corrected, decisions and where things are.`,
    "- One fact per Markdown file. MEMORY.md is the index, with one line per file: `- [Title](file.md): what it is about`. Its start is shown below, so keep it short.",
    "- Read the files that matter for the task before you begin. Update a note instead of writing a second one, and remove what is wrong.",
    "- Never write secrets. A note was true when it was written: check it before you rely on it.",
    "",
    index === undefined ? "MEMORY.md is empty." : `MEMORY.md:\n\n${index}`,
  ].join("\n");
}

const SCOPES: Readonly<Record<NonNullable<AgentDefinition["memory"]>, string>> = {
  user: "It is the same in all projects, so keep it general.",
  project: "It belongs to this project and is shared with everyone who works on it.",
  local: "It belongs to this project and is not shared.",
};

/**
 * The folder, with links above the project or the configuration folder resolved. Undefined if memory is off, or the folder
 * cannot be made because something else is in its place: links in it are not followed.
 */
export function agentMemoryFolder({ name, memory }: Remembering, snapshot: Snapshot): string | undefined {
  const { cwd, configDir, flags, settings, env } = snapshot;
  const isOff = flags.bare || flags.safe || settings.autoMemoryEnabled === false;
  if (memory === undefined || isOff || isVariableOn(env["CLAUDE_CODE_DISABLE_AUTO_MEMORY"])) return undefined;
  const project = flags.projectConfigRoot ?? cwd;
  const own =
    memory === "user" ? ["agent-memory"] : [".claude", memory === "local" ? "agent-memory-local" : "agent-memory"];
  try {
    const folder = join(realpathSync(memory === "user" ? configDir : project), ...own, folderName(name));
    holdOwnFolder(folder, { create: 0o777 })[Symbol.dispose]();
    return folder;
  } catch {
    return undefined;
  }
}

/** `kit:helper` becomes `kit-helper`; never `.` or `..`. */
function folderName(name: string): string {
  const plain = name.replaceAll(/[^\p{L}\p{N}._-]/gu, "-").slice(0, 100);
  return /^\.*$/.test(plain) ? "agent" : plain.replace(/^\.+/, "-");
}
