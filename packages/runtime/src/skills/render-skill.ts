// Turns a skill or command into the text the model reads: arguments filled in, inline commands replaced by their output.

import { readSkillText } from "@keelson/config/skills";
import { fillCommand, fillPlaceholders, inlineCommands, type SkillArguments } from "@keelson/engine/skills";
import { withoutReminderTags, type Skill } from "@keelson/protocol";

export interface RenderHost {
  readonly sessionId: string;
  readonly projectDir: string;
  readonly effort: string | undefined;
  /** Why inline commands do not run; undefined if they may. */
  noShell(skill: Skill): string | undefined;
  /** Returns what the command printed. Rejects if it may not run, or failed. */
  run(command: string, skill: Skill): Promise<string>;
  /** The text and folder of a bundled skill. */
  bundled(skill: Skill): Promise<{ readonly text: string; readonly folder?: string }>;
}

export interface RenderedSkill {
  readonly text: string;
  /** The part of the text that its author and the user wrote, without output of commands: it may mention files. */
  readonly written: string;
}

export async function renderSkill(skill: Skill, args: string, host: RenderHost): Promise<RenderedSkill> {
  const { text: body, folder } =
    skill.source === "bundled" ? await host.bundled(skill) : { text: readSkillText(skill), folder: skill.folder };
  const filling: SkillArguments = {
    raw: args,
    names: skill.argumentNames,
    variables: variablesOf(skill, folder, host),
  };
  const parts: string[] = [];
  const written: string[] = [];
  let used = false;
  const addText = (text: string) => {
    const filled = fillPlaceholders(text, filling);
    used ||= filled.used;
    parts.push(filled.text);
    written.push(filled.text);
  };
  let from = 0;
  for (const { start, end, command } of inlineCommands(body)) {
    addText(body.slice(from, start));
    parts.push(await outputOf(command, skill, filling, host));
    used ||= fillPlaceholders(command, filling).used;
    from = end;
  }
  addText(body.slice(from));
  if (!used && args.trim() !== "") {
    parts.push(`\n\nARGUMENTS: ${args}`);
    written.push(`\n\nARGUMENTS: ${args}`);
  }
  const hasFolder = skill.kind === "skill" && folder !== undefined;
  const heading = hasFolder ? `Base directory for this skill: ${folder}\n\n` : "";
  return { text: withoutReminderTags(heading + parts.join("")), written: written.join(" ") };
}

async function outputOf(command: string, skill: Skill, args: SkillArguments, host: RenderHost): Promise<string> {
  const why = host.noShell(skill);
  if (why !== undefined) return `[${command}: not run, because ${why}]`;
  const filled = fillCommand(command, args, skill.shell);
  if ("refused" in filled) throw new Error(`An inline command was not run: ${filled.refused}`);
  return host.run(filled.command, skill);
}

function variablesOf(
  { folder: own, plugin }: Skill,
  folder: string | undefined,
  { sessionId, projectDir, effort }: RenderHost,
): Record<string, string> {
  return {
    CLAUDE_SESSION_ID: sessionId,
    CLAUDE_SKILL_DIR: folder ?? own,
    CLAUDE_PROJECT_DIR: projectDir,
    CLAUDE_EFFORT: effort ?? "high",
    ...(plugin ? { CLAUDE_PLUGIN_ROOT: plugin.root, CLAUDE_PLUGIN_DATA: plugin.data } : {}),
  };
}
