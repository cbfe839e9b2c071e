// The process group that a program leads. Its number is given to another one once the group is empty, so after the program has
// ended, only what it left behind is ended, never a group that has its number by then.

import { readdirSync, readFileSync } from "node:fs";

export interface OwnGroup {
  /** Call it as soon as the program is seen to have ended. */
  leaderEnded(): void;
  /** Kills what is left of the group. */
  end(): void;
}

interface Member {
  readonly pid: string;
  readonly group: number;
  readonly began: string;
}

export function ownGroup(leader: number): OwnGroup {
  let left: readonly Member[] | undefined;
  return {
    leaderEnded() {
      // Elsewhere we cannot tell.
      if (process.platform === "linux") left ??= isAlive(leader) ? membersOf(leader) : [];
    },
    end() {
      if (left === undefined || left.some(isStill)) kill(leader);
    },
  };
}

function membersOf(group: number): readonly Member[] {
  return readdirSync("/proc").flatMap((pid) => {
    const member = /^\d+$/.test(pid) ? memberAt(pid) : undefined;
    return member?.group === group ? [member] : [];
  });
}

const isStill = ({ pid, group, began }: Member) => {
  const now = memberAt(pid);
  return now?.group === group && now.began === began;
};

function memberAt(pid: string): Member | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid, group: Number(fields[2]), began: fields[19]! };
  } catch {
    return undefined; // It has ended.
  }
}

function isAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

function kill(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch (error) {
    // No process is left in the group.
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
