// Invokes a skill: grants what it may use, renders its text, and reads the files that the text mentions. Loaded with the
// first invocation.

import type { Ports } from "@keelson/engine";
import { realPathOf } from "@keelson/disk/real-path";
import { blocksOf, type ContentBlock, type NewEntry, type Skill } from "@keelson/protocol";
import { filesMentionedIn } from "../mentions/mentions.ts";
import type { BundledTexts } from "./bundled/bundled-texts.ts";
import { runInlineCommand } from "./inline-command.ts";
import type { RunSkill, SkillParts } from "./open-skills.ts";
import { renderSkill } from "./render-skill.ts";
import type { TurnEffects } from "./turn-effects.ts";

export interface SkillInvocation {
  readonly text: string;
  readonly attachments: readonly NewEntry[];
  /** The rules that now allow tools. */
  readonly allowed: readonly string[];
  /** Set if it ran in a subagent: what that one answered. */
  readonly fork?: { readonly agentId: string; readonly result: string };
}

export interface InvokeParts extends SkillParts {
  readonly effects: TurnEffects;
  readonly texts: BundledTexts;
  readonly ports: Ports;
  /** The call of the Skill tool; undefined if the skill was typed. */
  readonly toolUseId?: string | undefined;
  readonly runSkill?: RunSkill | undefined;
}

/** Where skills come from that the user or an administrator installed. */
const OWN_FOLDER = new Set<Skill["source"]>(["managed", "user", "plugin"]);

/** Rejects with a sentence for the user; then nothing stays granted. */
export async function invokeSkill(skill: Skill, args: string, parts: InvokeParts): Promise<SkillInvocation> {
  const { storage, gate, effects, texts, ports } = parts;
  const { place, state } = storage;
  const { snapshot } = state;
  const grant = effects.grant(skill);
  try {
    const { text, written } = await renderSkill(skill, args, {
      sessionId: place.id,
      projectDir: snapshot.cwd,
      effort: effects.model.effort,
      noShell: ({ source }) =>
        source === "mcp"
          ? "it comes from an MCP server"
          : snapshot.settings.disableSkillShellExecution === true
            ? "the settings turn off commands in skills (disableSkillShellExecution)"
            : undefined,
      run: (command) =>
        runInlineCommand(command, { ports, gate, unaided: skill.untrusted === true, shell: skill.shell }),
      bundled: (given) => texts.read(given),
    });
    await effects.apply(skill);
    // Its text may refer to more files. Those of a project are in a working directory, or stay closed.
    if (OWN_FOLDER.has(skill.source) && skill.kind === "skill")
      gate.openFolder(realPathOf(skill.plugin?.root ?? skill.folder));
    const attachments = written.includes("@")
      ? await filesMentionedIn(written, parts, ports, { insideOnly: true })
      : [];
    if (skill.fork === undefined) return { text, attachments, allowed: grant.allowed };
    if (!parts.runSkill) throw new Error(`${skill.name} runs in a subagent, which is not available here`);
    const fork = await parts.runSkill({
      skill,
      text,
      attached: attachments.flatMap(readBlocks),
      model: effects.model,
      toolUseId: parts.toolUseId ?? `toolu_${ports.newId()}`,
      signal: ports.signal,
    });
    return { text, attachments, allowed: grant.allowed, fork };
  } catch (error) {
    grant.undo();
    throw error;
  }
}

/** What the model reads of an attachment. */
function readBlocks(entry: NewEntry): readonly ContentBlock[] {
  if (entry.type === "user") return blocksOf(entry.message.content);
  return entry.type === "attachment" ? (entry.rendered ?? []).flatMap(({ content }) => blocksOf(content)) : [];
}
