// Files that run as code later or configure this session: writing them needs approval, whatever the rules allow. Judged
// by name alone, in any case and at any depth.

import { isInside, isShortNameOf, openedName } from "./paths.ts";

export const PROTECTED_FOLDERS: ReadonlySet<string> = new Set(
  ".git .vscode .idea .husky .cargo .devcontainer .yarn .mvn .claude".split(" "),
);

export const PROTECTED_FILES: ReadonlySet<string> = new Set(
  [
    ".gitconfig .gitmodules",
    ".bashrc .bash_profile .bash_login .bash_aliases .bash_logout .zshrc .zprofile .zshenv .zlogin .zlogout .profile .envrc",
    ".npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnp.loader.mjs .pnpmfile.cjs bunfig.toml .bunfig.toml",
    ".bazelrc .bazelversion .bazeliskrc .pre-commit-config.yaml",
    "gradle-wrapper.properties maven-wrapper.properties .devcontainer.json .ripgreprc pyrightconfig.json .mcp.json .claude.json",
  ].flatMap((line) => line.split(" ")),
);

const LEFTHOOK = /^\.?lefthook(-local)?\.(ya?ml|toml|json)$/;

/** True if writing to this absolute, normalized path needs approval. */
export function isProtected(path: string): boolean {
  // Some file systems ignore case, trailing dots and streams, so compare the name they would open.
  const names = path.normalize("NFKC").toLowerCase().split("/").map(openedName).map(longName);
  return names.some((name, at) => {
    if (name === ".claude" && names[at + 1] === "worktrees") return false;
    if (PROTECTED_FOLDERS.has(name)) return true;
    if (name === ".config" && names[at + 1] === "git") return true;
    return at === names.length - 1 && (PROTECTED_FILES.has(name) || LEFTHOOK.test(name));
  });
}

/** Folders in `.claude` that hold notes, plans and transcripts. Nothing in them is obeyed. */
const NOTES_FOLDERS: ReadonlySet<string> = new Set("projects plans memory agent-memory agent-memory-local".split(" "));

/** Whether writing without approval may be allowed in this folder at all: it is not protected, or it is for notes. */
export function mayHoldNotes(folder: string, configDir?: string): boolean {
  const isOurs = configDir !== undefined && isInside(configDir, folder);
  const names = (isOurs ? `/.claude${folder.slice(configDir.length)}` : folder).split("/");
  const at = names.findLastIndex((name, index) => name === ".claude" && NOTES_FOLDERS.has(names[index + 1] ?? ""));
  return !isProtected((at < 0 ? names : names.toSpliced(at, 2)).join("/"));
}

/** The protected name that a short name may stand for. */
function longName(name: string): string {
  if (!name.includes("~")) return name;
  return [...PROTECTED_FOLDERS, ...PROTECTED_FILES].find((long) => isShortNameOf(name, long)) ?? name;
}
