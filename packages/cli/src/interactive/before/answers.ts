// Keeps the answers to the questions before a session. Each returns a sentence if it could not be written: the answer then
// holds for this session, and the question comes again.

import { trustFolder, type Snapshot } from "@keelson/config";
import { changeGlobalState, type GlobalState, type StateEdit } from "@keelson/config/global-state";
import { isObject } from "@keelson/protocol";
import { keyTail } from "./open-questions.ts";

export async function keepTrust(snapshot: Snapshot): Promise<string | undefined> {
  const written = await trustFolder(snapshot);
  return written.ok ? undefined : written.problem;
}

/** Only the end of the key is kept, as compatible programs do. */
export function keepKeyAnswer(snapshot: Snapshot, key: string, approved: boolean): Promise<string | undefined> {
  const tail = keyTail(key);
  return changeGlobalState(snapshot, (now) => {
    const { approved: yes, rejected: no } = keyAnswers(now);
    const without = (list: readonly unknown[]) => list.filter((each) => each !== tail);
    const value = approved
      ? { approved: [...without(yes), tail], rejected: without(no) }
      : { approved: without(yes), rejected: [...without(no), tail] };
    return [{ path: ["customApiKeyResponses"], value }];
  });
}

function keyAnswers({ customApiKeyResponses: answers }: GlobalState) {
  const list = (name: string): readonly unknown[] => {
    const value = isObject(answers) ? answers[name] : undefined;
    return Array.isArray(value) ? value : [];
  };
  return { approved: list("approved"), rejected: list("rejected") };
}

/** Each file is asked about once for each project, whatever the answer is. */
export async function keepIncludesAnswer(
  snapshot: Snapshot,
  files: readonly string[],
  approved: boolean,
): Promise<string | undefined> {
  const { writeApproval } = await import("@keelson/config/instructions");
  const written = await writeApproval(snapshot, approved ? { approve: files } : { refuse: files });
  return written.ok ? undefined : written.problem;
}

export function keepBypassAnswer(snapshot: Snapshot): Promise<string | undefined> {
  return changeGlobalState(snapshot, () => [{ path: ["bypassPermissionsModeAccepted"], value: true }]);
}

export function keepSetup(snapshot: Snapshot, theme: string | undefined): Promise<string | undefined> {
  const edits: readonly StateEdit[] = [
    { path: ["hasCompletedOnboarding"], value: true },
    ...(theme === undefined ? [] : [{ path: ["theme"], value: theme }]),
  ];
  return changeGlobalState(snapshot, () => edits);
}
