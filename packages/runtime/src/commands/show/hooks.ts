// /hooks: the hooks in effect, by event.

import { expectNoArguments, points, type RunCommand } from "../command.ts";

export const hooksCommand: RunCommand = async (args, { request }) => {
  expectNoArguments("hooks", args);
  const { hooks: all, policy } = await request("get_hooks_listing");
  if (policy.allDisabled) return 'All hooks are disabled: "disableAllHooks" is true in the settings';
  if (all.length === 0) return 'No hooks. Define them under "hooks" in a settings file';
  const lines = all.map(
    ({ event, matcher, type, label, source }) =>
      `${event}${matcher === undefined || matcher === "" ? "" : `(${matcher})`}: ${type} ${label} (${source})`,
  );
  return `Hooks:\n\n${points(lines)}`;
};
