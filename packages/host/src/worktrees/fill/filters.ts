// Files that a filter of the repository would change when they are checked out. No filter is run, so these files are as
// git stores them: for Git LFS small pointers, for encryption the encrypted text.

import { join } from "node:path";
import { printableLine } from "@keelson/protocol";
import { readRegularFile } from "../../files/regular-file.ts";
import type { SafeGit } from "../repository/safe-git.ts";

const MAX_BYTES = 1024 * 1024;

/** One sentence for each filter, for people. */
export async function unfilteredFiles(
  inside: SafeGit,
  { path, common }: { readonly path: string; readonly common: string },
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const listed = await inside.run(["ls-files", "-z", "--", ":(glob)**/.gitattributes"], { signal });
  const files = listed.split("\0").filter((file) => file !== "");
  const paths = [...files.map((file) => join(path, file)), join(common, "info/attributes")];
  if (!paths.some(mentionsFilter)) return [];
  const all = await inside.run(["ls-files", "-z"], { signal });
  const answers = (await inside.run(["check-attr", "-z", "--stdin", "filter"], { signal, input: all })).split("\0");
  const counts = new Map<string, number>();
  for (let at = 2; at < answers.length; at += 3) {
    const filter = answers[at]!;
    if (!["unspecified", "set", "unset", ""].includes(filter)) counts.set(filter, (counts.get(filter) ?? 0) + 1);
  }
  return [...counts].map(
    ([name, count]) =>
      `${count} ${count === 1 ? "file is" : "files are"} as stored in git: the filter "${plain(name)}" was not run` +
      (name === "lfs" ? "; run git lfs pull in the worktree to get the content" : ""),
  );
}

/** True also if the file cannot be read. */
function mentionsFilter(file: string): boolean {
  try {
    return new TextDecoder().decode(readRegularFile(file, MAX_BYTES)).includes("filter");
  } catch (error) {
    return !String(error).includes("ENOENT");
  }
}

const plain = (text: string) => printableLine(text.slice(0, 80));
