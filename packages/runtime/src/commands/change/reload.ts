// /skills, /reload-skills and /reload-plugins: what clients get from the requests of the same names.

import { expectNoArguments, points, type RunCommand } from "../command.ts";

export const skillsCommand: RunCommand = async (args, { request }) => {
  expectNoArguments("skills", args);
  const { skills: all } = await request("reload_skills");
  if (all.length === 0) return "No skills";
  return `Skills:\n\n${points(all.map(({ name, description }) => `${name}${description ? `: ${description}` : ""}`))}`;
};

export const reloadSkillsCommand: RunCommand = async (args, { request }) => {
  expectNoArguments("reload-skills", args);
  const { skills: all } = await request("reload_skills");
  return `Reloaded skills: ${all.length} found`;
};

export const reloadPluginsCommand: RunCommand = async (args, { request }) => {
  expectNoArguments("reload-plugins", args);
  const { plugins, commands, error_count: errors } = await request("reload_plugins");
  const failed = errors === 0 ? "" : `, ${errors} with errors`;
  return `Reloaded plugins: ${plugins.length} found${failed}; ${commands.length} commands`;
};
