// /cd: the session works in another folder, as after `cd` in a command. Settings, rules and transcript stay where they are.

import type { RunCommand } from "../command.ts";
import { namedFolder } from "./named-folder.ts";

export const cdCommand: RunCommand = (args, { targets }) => {
  if (args === "") return `The working directory is ${targets.workspace.cwd}`;
  const path = namedFolder(args, targets);
  if (targets.changeDirectory(path)) return `The working directory is now ${path}`;
  targets.addDirectories([path], "slash_command");
  targets.changeDirectory(path);
  return `The working directory is now ${path}, which was added to this session`;
};
