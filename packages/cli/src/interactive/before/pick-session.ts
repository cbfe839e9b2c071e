// The list of sessions, for `--resume` without an ID.

import { gitBranch } from "@keelson/host";
import { StoredSessions } from "@keelson/store/stored-sessions";
import { sessionPicker } from "@keelson/tui/before";
import { resumeCommand } from "../choice.ts";
import { shellWord } from "../../commands/permissions/words.ts";
import type { Beginning } from "../run.ts";
import type { Asking } from "./ask-before.ts";

/** The exit code if none is picked, or one of another folder. */
export async function pickSession(words: string, beginning: Beginning, asking: Asking): Promise<Beginning | number> {
  const { snapshot, io } = beginning;
  const { configDir, cwd, env } = snapshot;
  const place = { configDir, cwd, dirName: env["CLAUDE_CODE_PROJECT_DIR_NAME"] };
  const fork = beginning.first.kind === "resume" && beginning.first.fork ? { fork: true } : {};
  if (words !== "") {
    const { findSession } = await import("@keelson/store/past");
    const named = findSession(place, words);
    if (named.kind === "found") return { ...beginning, first: { kind: "resume", id: named.id, ...fork } };
  }
  const branch = gitBranch(cwd);
  const picked = await asking.show((redraw) =>
    sessionPicker(new StoredSessions(place), {
      keys: asking.keys,
      redraw,
      query: words,
      ...(branch === "" ? {} : { branch }),
    }),
  );
  if (!picked) return 0;
  if (picked.cwd === undefined || picked.cwd === cwd) {
    return { ...beginning, first: { kind: "resume", id: picked.id, ...fork } };
  }
  await io.write(
    `This session belongs to another folder. To resume it:\n  cd ${shellWord(picked.cwd)} && ${resumeCommand(picked.id)}\n`,
  );
  return 0;
}
