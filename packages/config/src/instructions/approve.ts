// Records which files from outside a project its instruction files may include.

import { changeGlobalState, folderState, globalFile } from "../global-state.ts";
import type { FlagWritten, FolderPlace } from "../write/project-flag.ts";
import { ANSWERS, answersIn, APPROVAL } from "./approval.ts";

export interface IncludeAnswer {
  /** Real paths. */
  readonly approve?: readonly string[];
  readonly refuse?: readonly string[] | "all";
}

export async function writeApproval(place: FolderPlace, answer: IncludeAnswer): Promise<FlagWritten> {
  let changed = false;
  const path = (name: string) => ["projects", place.cwd, name];
  const problem = await changeGlobalState(place, (now) => {
    const project = folderState(now, place.cwd);
    const before = answersIn(project);
    const { approve = [] } = answer;
    const refuse = answer.refuse === "all" ? before.approved : (answer.refuse ?? []);
    const approved = [...new Set([...before.approved, ...approve])].filter((each) => !refuse.includes(each));
    const refused = [...new Set([...before.refused, ...refuse])].filter((each) => !approved.includes(each));
    changed =
      approved.join("\0") !== before.approved.join("\0") ||
      refused.join("\0") !== before.refused.join("\0") ||
      (project[APPROVAL] === true && approved.length === 0);
    if (!changed) return [];
    return [
      { path: path(APPROVAL), value: approved.length > 0 },
      { path: path("hasClaudeMdExternalIncludesWarningShown"), value: true },
      { path: path(ANSWERS), value: { approved, refused } },
    ];
  });
  if (problem !== undefined) return { ok: false, problem };
  return { ok: true, file: globalFile(place), changed };
}
