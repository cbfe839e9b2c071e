// Checks the skills, commands and agents of a plugin in the way a session reads them.

import { basename } from "node:path";
import type { AgentProblem, PluginIdentity, SkillProblem } from "@keelson/protocol";
import { createAgentCollector } from "../../agents/collect.ts";
import { createSkillCollector } from "../../skills/collect.ts";
import { scanMarkdown, scanSkills, skillIn } from "../../skills/find/scan.ts";
import { explainStrays } from "../../skills/find/strays.ts";
import { skillTextProblems } from "../../skills/text-problems.ts";
import type { PluginFolder } from "./folder.ts";

export function pluginTextProblems({ name, root, layout }: PluginFolder): readonly (SkillProblem | AgentProblem)[] {
  const plugin: PluginIdentity = { name, id: name, root, data: root };
  const skills = createSkillCollector({ overrides: {}, isDenied: () => false });
  const options = skills.scanOptions(root);
  const from = (kind: "skill" | "command") => ({ kind, source: "plugin", base: root, root, plugin }) as const;
  for (const folder of layout.skills)
    skills.take(skillIn(folder, folder === root ? name : undefined), from("skill"), { isAlone: true });
  for (const folder of layout.skillFolders)
    for (const found of scanSkills(folder, options)) skills.take(found, from("skill"));
  for (const file of layout.commandFiles) skills.take(fileAt(file), from("command"));
  for (const folder of layout.commandFolders)
    for (const found of scanMarkdown(folder, options)) skills.take(found, from("command"));

  const agents = createAgentCollector(() => false);
  for (const path of layout.agents) {
    const files = path.endsWith(".md") ? [fileAt(path)] : scanMarkdown(path, agents.scanOptions(root), "agents");
    for (const found of files) agents.takeFile(found, { source: "plugin", root, plugin });
  }
  const all = [...skills.skills, ...skills.dormant.map(({ skill }) => skill)];
  return [...skills.problems, ...explainStrays(skills.strays), ...all.flatMap(skillTextProblems), ...agents.problems];
}

const fileAt = (file: string) => ({ name: basename(file).replace(/\.md$/, ""), file, found: file });
