// What the files of a repository say about its place: the name of a linked work tree, and where `origin` is. Never runs git.

import { basename, join } from "node:path";
import { commonFolder, findRepositories } from "./discovery.ts";
import { readRegularFile } from "../files/regular-file.ts";

const MAX_BYTES = 256 * 1024;

export interface RepositoryPlace {
  /** As `git worktree list` knows it; absent in the main work tree. */
  readonly worktree?: string;
  readonly origin?: RemoteName;
}

export interface RemoteName {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
}

export function repositoryPlace(cwd: string): RepositoryPlace {
  const gitFolder = findRepositories(cwd).at(-1)?.gitFolder;
  if (!gitFolder) return {};
  const shared = commonFolder(gitFolder);
  const origin = remoteName(originIn(join(shared, "config")) ?? "");
  return { ...(shared === gitFolder ? {} : { worktree: basename(gitFolder) }), ...(origin ? { origin } : {}) };
}

function originIn(file: string): string | undefined {
  let section = "";
  let url: string | undefined;
  try {
    for (const line of new TextDecoder().decode(readRegularFile(file, MAX_BYTES)).split("\n")) {
      section = /^\s*\[(.*)\]/.exec(line)?.[1] ?? section;
      if (section === 'remote "origin"') url = /^\s*url\s*=\s*"?(.*?)"?\s*$/i.exec(line)?.[1] ?? url;
    }
  } catch {
    // Not there, or not readable.
  }
  return url;
}

/** Undefined for a folder, and for what is no address of a service. */
export function remoteName(url: string): RemoteName | undefined {
  const parts =
    /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?(?<host>[^/:]+)(?::\d+)?\/(?<path>.+)$/i.exec(url) ??
    /^(?:[^/@\s]+@)?(?<host>[^/:\s]{2,}):(?!\/\/)(?<path>.+)$/.exec(url);
  const { host = "", path = "" } = parts?.groups ?? {};
  const names = path
    .replace(/\/+$/, "")
    .replace(/\.git$/, "")
    .split("/")
    .filter(Boolean);
  const name = names.pop();
  return name === undefined || names.length === 0 ? undefined : { host, owner: names.join("/"), name };
}
