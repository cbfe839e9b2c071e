// /add-dir: another working directory for this session, as --add-dir does at the start.

import type { RunCommand } from "../command.ts";
import { namedFolder } from "./named-folder.ts";

export const addDirCommand: RunCommand = (args, { targets }) => {
  if (args === "") throw new Error("/add-dir requires a path: /add-dir <path>");
  const path = namedFolder(args, targets);
  if (targets.workspace.directories.includes(path)) return `${path} is already a working directory`;
  targets.addDirectories([path], "slash_command");
  return `Added ${path} as a working directory for this session`;
};
