// Which protected files a command would write: by a name in its words, by what a pattern may match, or by what is in a
// folder it copies as a whole.

import type { SimpleCommand } from "../analysis/command.ts";
import { everyCommand, type NamedFile } from "./command-files.ts";
import { isWritten } from "../rules/command-rules.ts";
import { allEndsIn, endsIn, realPattern, type CommandView } from "../command-view.ts";
import { copyOf, landings } from "./deep.ts";
import { protectedEnd, writesProtected } from "../../match/governing.ts";
import { mayBeProtected } from "../../match/protected-pattern.ts";
import type { GateQuestion } from "../../question.ts";

/** The first protected path this part would write. */
export function protectedTarget(part: SimpleCommand, view: CommandView): string | undefined {
  const file = view.filesIn(part).find((each) => isWritten(each) && mayHitProtected(each, view.question));
  return file?.path ?? copiedTargets(part, view).find((path) => path.looked && path.protected)?.target;
}

/** Where this part would copy folders that could not be checked. */
export function uncheckedCopy(part: SimpleCommand, view: CommandView): string | undefined {
  return copiedTargets(part, view).find((path) => !path.looked)?.target;
}

function mayHitProtected(file: NamedFile, question: GateQuestion): boolean {
  const ends = allEndsIn(file, question);
  if (ends === undefined || ends.some((each) => writesProtected(file, each, question))) return true;
  return file.pattern && (mayBeProtected(file.path) || mayBeProtected(realPattern(file.path, question)));
}

interface CopiedTarget {
  readonly target: string;
  readonly looked: boolean;
  readonly protected: boolean;
}

/** `cp -r kit/. .` writes everything in kit, including `.git` and `.claude`. */
function copiedTargets(part: SimpleCommand, { places, question }: CommandView): CopiedTarget[] {
  return everyCommand([part]).flatMap((command) => {
    const copy = copyOf(command, places, question.home);
    if (copy === undefined) return [];
    const contents = question.onDisk?.contents ?? new Map();
    const unseen = copy.sources.some(({ path }) => !contents.has(path)) ? copy.targets : [];
    const hit = landings(copy, contents).filter(
      (name) => protectedEnd(endsIn({ path: name, pattern: false }, question), question) !== undefined,
    );
    return [
      ...unseen.map((target) => ({ target, looked: false, protected: false })),
      ...hit.map((target) => ({ target, looked: true, protected: true })),
    ];
  });
}
