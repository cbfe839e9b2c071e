// Why a git command needs approval: the repository it would run in makes git start programs that no one here agreed to.
// The caller looked up what is on disk; see `GateQuestion.git`.

import { basename } from "node:path/posix";
import type { SimpleCommand } from "../command/analysis/command.ts";
import { everyCommand, type Where } from "../command/files/command-files.ts";
import { gitFolders, startsGit } from "./git-folders.ts";
import type { GateQuestion } from "../question.ts";
import { looksOnlyButRedirects } from "../read-only/read-only.ts";

/** A repository git would use, and what it would do there beyond the command itself. */
export interface GitRepository {
  readonly folder: string;
  /** Why even read-only commands are not harmless, as a clause: "git runs a program set by core.fsmonitor". */
  readonly looking?: string;
  /** The same for any other command. */
  readonly acting?: string;
}

/** By the folder a command may run git in. Repositories that change nothing are left out. */
export type GitRepositories = ReadonlyMap<string, readonly GitRepository[]>;

export interface GitDanger {
  /** Why a read-only git command needs approval. */
  readonly looking?: string;
  /** Why one that a rule allows still needs approval. */
  readonly acting?: string;
}

const NONE: GitDanger = {};

/** For the parts of one command. `moves`: it changes to a folder other than the session's own. */
export function gitDangerIn(
  commands: readonly SimpleCommand[],
  where: Where,
  { git, directories }: Pick<GateQuestion, "git" | "directories">,
  moves: boolean,
): (part: SimpleCommand) => GitDanger {
  let danger: GitDanger | undefined;
  const find = (): GitDanger => {
    if (git === undefined) return moves ? { looking: "it changes folder before git runs" } : NONE;
    const { folders, unsure } = gitFolders(commands, where);
    if (unsure) return both("git runs in a folder that the text does not show");
    // The command is judged before it runs, so a repository that it creates itself cannot be checked.
    const isElsewhere = folders.some((folder) => folder !== directories[0]);
    const brings = isElsewhere && commands.some((part) => isOneOf(part, UNPACKS) || (moves && isOneOf(part, COPIES)));
    if (brings) return both("it creates files that git may take its settings from");
    const found = folders.flatMap((folder) => git.get(folder) ?? [{ folder, ...both("it was not checked") }]);
    const [looking, acting] = [found.find((each) => each.looking), found.find((each) => each.acting)];
    const changes = moves && !commands.every(isOnlyLooking) ? "it changes files and folder before git runs" : undefined;
    return {
      looking: looking ? `in '${looking.folder}', ${looking.looking}` : changes,
      acting: acting && `in '${acting.folder}', ${acting.acting}`,
    };
  };
  return (part) => (startsGit(part) ? (danger ??= find()) : NONE);
}

const both = (reason: string): GitDanger => ({ looking: reason, acting: reason });

/** An archive or someone else decides what these create. */
const UNPACKS = new Set("7z 7za 7zr ar bsdtar cpio ditto gtar pax sftp tar unar unrar unzip".split(" "));
/** A folder may contain a repository. */
const COPIES = new Set("cp install ln mv rsync scp".split(" "));

function isOneOf(part: SimpleCommand, programs: ReadonlySet<string>): boolean {
  return everyCommand([part]).some(({ words }) => programs.has(basename(words[0]?.value ?? "")));
}

function isOnlyLooking(part: SimpleCommand): boolean {
  return looksOnlyButRedirects(part) && part.redirections.every(({ kind }) => kind !== "write");
}
