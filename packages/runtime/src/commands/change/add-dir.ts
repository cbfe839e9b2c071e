// /add-dir: another working directory for this session, as --add-dir does at the start.

import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { realPathOf } from "@keelson/host";
import type { RunCommand } from "../command.ts";

export const addDirCommand: RunCommand = (args, { targets }) => {
  if (args === "") throw new Error("/add-dir requires a path: /add-dir <path>");
  const { workspace, snapshot, addDirectories } = targets;
  const named = args === "~" || args.startsWith("~/") ? join(snapshot().home, args.slice(1)) : args;
  const path = realPathOf(resolve(workspace.cwd, named));
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`"${args}" is not a directory`);
  if (workspace.directories.includes(path)) return `${path} is already a working directory`;
  addDirectories([path], "slash_command");
  return `Added ${path} as a working directory for this session`;
};
