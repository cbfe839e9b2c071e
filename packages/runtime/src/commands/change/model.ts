// /model and /effort: show or change them for this session.

import type { RunCommand } from "../command.ts";

export const modelCommand: RunCommand = async (args, { request, targets }) => {
  if (args !== "") return `Set model to ${await targets.setModel(args === "default" ? undefined : args)}`;
  const { models } = await request("list_models");
  const choices = models.map(({ value, resolvedModel }) => `  ${value.padEnd(10)} ${resolvedModel}`);
  return [`Model: ${targets.model().profile.id}`, "", "Also /model <id>, or one of these:", ...choices].join("\n");
};

export const effortCommand: RunCommand = async (args, { request, targets }) => {
  const { models } = await request("list_models");
  const { profile } = targets.model();
  const levels = models.find(({ resolvedModel }) => resolvedModel === profile.id)?.supportedEffortLevels;
  if (levels === undefined) throw new Error(`${profile.id} has no effort levels`);
  if (args === "") return `Effort: ${targets.model().effort ?? "default"}. Change it with /effort ${levels.join("|")}`;
  if (args !== "auto" && !levels.some((level) => level === args)) {
    throw new Error(`"${args}" is not an effort level; use ${levels.join(", ")} or auto`);
  }
  await request("apply_flag_settings", { settings: { effortLevel: args === "auto" ? null : args } });
  return `Set effort to ${targets.model().effort ?? "default"}`;
};
