// The folder where a repository's worktrees are: `.claude/worktrees` in the main checkout. It is never reached through
// links, and git does not show it in the main checkout.

import { closeSync, constants, lstatSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { holdFolder } from "../../files/held-folder.ts";
import type { Checkout } from "./checkout.ts";
import { WorktreeError } from "../errors.ts";
import { folderName } from "../names.ts";

export const worktreesFolder = ({ root }: Pick<Checkout, "root">) => join(root, ".claude", "worktrees");

export const pathFor = (checkout: Checkout, name: string) => join(worktreesFolder(checkout), folderName(name));

/** Whether a path is directly in the folder of the worktrees. */
export const isOurs = (checkout: Checkout, path: string) =>
  path.startsWith(`${worktreesFolder(checkout)}/`) && !path.slice(worktreesFolder(checkout).length + 1).includes("/");

/** Throws WorktreeError if a part of the path is a link or no folder. */
export function checkWorktreesFolder(checkout: Checkout): void {
  for (const path of [join(checkout.root, ".claude"), worktreesFolder(checkout)]) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.isDirectory()) continue;
    const what = stat.isSymbolicLink() ? "a link" : "not a folder";
    throw new WorktreeError(
      "refused",
      `'${path}' is ${what}; worktrees are created only in a folder of the repository itself`,
    );
  }
}

export function makeWorktreesFolder(checkout: Checkout): void {
  checkWorktreesFolder(checkout);
  using folder = holdFolder(worktreesFolder(checkout));
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
    const fd = openSync(folder.at(".gitignore"), flags, 0o644);
    try {
      writeSync(fd, "*\n");
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}
