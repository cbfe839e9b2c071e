// /permissions: the mode, the rules and the working directories.

import { expectNoArguments, points, type RunCommand } from "../command.ts";

export const permissionsCommand: RunCommand = async (args, { request, targets }) => {
  expectNoArguments("permissions", args);
  const { state } = await request("list_permission_rules");
  const rules = state.rules.map(({ source, ruleBehavior, ruleValue: { toolName, ruleContent } }) => {
    const rule = ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
    return `${ruleBehavior}: ${rule} (${source})`;
  });
  return [
    `Mode: ${targets.mode()}`,
    rules.length === 0 ? "No rules" : `Rules:\n\n${points(rules)}`,
    `Working directories:\n\n${points([state.originalCwd, ...state.workspaceDirectories])}`,
  ].join("\n\n");
};
