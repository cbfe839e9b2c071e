// A client in another process than the session, over the socket of the session's owner.

import { startElsewhere } from "../../elsewhere.ts";
import type { Client, Open } from "../play.ts";
import type { End } from "../scenario.ts";
import { flagsOf, initializeOf } from "./pipe-start.ts";
import { talk } from "./talk.ts";

export const openRemote: Open = (start, answers, place, book): Client => {
  const kept: Record<string, string> = start.enableFileCheckpointing
    ? { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" }
    : {};
  // Nobody could find a session that has no name and no transcript.
  const isNamed = start.sessionId ?? start.resume ?? start.continue;
  const flags = flagsOf(isNamed === undefined ? { ...start, sessionId: crypto.randomUUID() } : start, {});
  const { take, ask, askAs, end } = talk(answers, book, (message) => elsewhere.send(message));
  const elsewhere = startElsewhere(
    { command: [...place.program, ...flags], cwd: place.project, env: { ...place.env, ...kept } },
    {
      view: {
        partial: start.includePartialMessages === true,
        hookEvents: start.includeHookEvents === true,
        replayPrompts: start.extraArgs !== undefined && "replay-user-messages" in start.extraArgs,
      },
      answers: { permissions: answers.canUseTool !== undefined, requests: true },
    },
    take,
  );
  const first = initializeOf(start, answers);
  if (first !== undefined) void askAs("initialize", first);
  return {
    say: elsewhere.send,
    ask,
    endInput: elsewhere.endInput,
    signal: elsewhere.kill,
    close: elsewhere.endInput,
    ended: elsewhere.ended.then((how): End => {
      end();
      return how;
    }),
  };
};
