// /rename: the title of the session.

import type { RunCommand } from "../command.ts";

export const renameCommand: RunCommand = async (args, { request, targets }) => {
  if (args === "") throw new Error("/rename requires a name: /rename <name>");
  await request("rename_session", { title: args });
  return `Renamed this session to "${targets.title()}"`;
};
