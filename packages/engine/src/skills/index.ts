// Entry point for the text of skills: placeholders and inline commands. Loaded when a skill is invoked.

export { fillPlaceholders, type SkillArguments } from "./arguments.ts";
export { inlineCommands, type InlineCommand } from "./inline-shell.ts";
export { fillCommand, type FilledCommand } from "./shell-arguments.ts";
