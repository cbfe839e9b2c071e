// How to run git: the system's, which commands cannot change, or else one that the PATH finds, behind the shield.

import type { ConfinedProgram, ProgramToConfine } from "../sandbox/confine-program.ts";
import { findProgram, pathOutside } from "../programs/find-program.ts";
import { findHelper, helperMissing, helperPath } from "../programs/registry/helpers.ts";

export interface GitLookupPlaces {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How to start a program behind the shield. Absent where there is no session. */
  confine?(program: ProgramToConfine): Promise<ConfinedProgram>;
}

export interface GitProgram {
  /** The PATH to run it with. */
  readonly path: string;
  start(args: readonly string[], cwd: string): Promise<Pick<ConfinedProgram, "argv" | "leave">>;
}

/** Undefined if there is none. Never one from the project: `npm run` puts its folder of programs first. */
export function findGit({ env, confine }: GitLookupPlaces, projectFolders: readonly string[]): GitProgram | undefined {
  const { PATH } = env;
  const system = findHelper("git", PATH);
  if (system !== null)
    return { path: helperPath(PATH), start: async (args) => ({ argv: [system, ...args], leave() {} }) };
  const path = projectFolders.reduce(pathOutside, PATH ?? "");
  const found = confine && findProgram("git", path);
  return found ? { path, start: (args, cwd) => confine({ command: found, args, cwd }) } : undefined;
}

export const gitMissing = ({ env }: GitLookupPlaces) =>
  helperMissing("git", env["PATH"], "install it with the system's packages");
