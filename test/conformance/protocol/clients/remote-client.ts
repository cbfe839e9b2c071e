// A client in another process than the session: the program runs as its owner, with a client on its pipe that says nothing,
// and this one attaches over the owner's socket.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { leaseHolder } from "@keelson/disk/lease/take";
import type { Inbound, Outbound, SessionClient } from "@keelson/protocol";
import { connectSession } from "../../../../packages/runtime/src/owner/remote-session.ts";
import { MadeUpIds } from "../../made-up-ids.ts";
import type { Client, Open } from "../play.ts";
import type { End } from "../scenario.ts";
import { flagsOf, initializeOf } from "./pipe-start.ts";
import { talk } from "./talk.ts";

export const openRemote: Open = (start, answers, place, book): Client => {
  const [program, ...words] = place.program;
  const kept = start.enableFileCheckpointing ? { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: "true" } : {};
  // Nobody could find a session that has no name and no transcript.
  const isNamed = start.sessionId ?? start.resume ?? start.continue;
  const flags = flagsOf(isNamed === undefined ? { ...start, sessionId: crypto.randomUUID() } : start, {});
  const child = spawn(program!, [...words, ...flags], { cwd: place.project, env: { ...place.env, ...kept } });
  child.stdin.on("error", () => {});
  child.stdout.resume();
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  let hasEnded = false;
  const owned = new Promise<Pick<End, "code" | "signal">>((resolve) =>
    child.once("close", (code, signal) => {
      hasEnded = true;
      resolve({ code, signal });
    }),
  );

  const endInput = () => void child.stdin.end();
  const ids = new MadeUpIds();
  const unsent: Inbound[] = [];
  let client: SessionClient | undefined;
  const send = (message: any) => {
    const uuid = crypto.randomUUID();
    const isUnnamed = message.type === "user" && message.uuid === undefined;
    if (isUnnamed) ids.add(uuid);
    const sent: Inbound = isUnnamed ? { ...message, uuid } : message;
    if (client) client.send(sent);
    else unsent.push(sent);
  };
  const { take, ask, askAs, end } = talk(answers, book, send);

  const follow = async () => {
    const socket = await socketOf(child.pid!, place.env, () => hasEnded);
    if (socket === undefined) return;
    const session = await connectSession(
      { socket, configDir: configDirOf(place.env), ownAnswers: false },
      AbortSignal.timeout(10_000),
    );
    client = session.attach({
      name: "elsewhere",
      whenSlow: "hold",
      view: {
        partial: start.includePartialMessages === true,
        hookEvents: start.includeHookEvents === true,
        replayPrompts: start.extraArgs !== undefined && "replay-user-messages" in start.extraArgs,
      },
      answers: { permissions: answers.canUseTool !== undefined, requests: true },
    });
    for (const message of unsent.splice(0)) client.send(message);
    try {
      for await (const message of client.messages) {
        const seen: Outbound | undefined = ids.without(message);
        if (seen !== undefined) take(seen);
      }
    } catch (error) {
      // It says so when the owner has ended.
      if (!hasEnded && !String(error).includes("was ended by the program")) throw error;
    }
  };
  const followed = follow().finally(endInput);
  followed.catch(() => undefined);

  const first = initializeOf(start, answers);
  if (first !== undefined) void askAs("initialize", first);
  return {
    say: send,
    ask,
    endInput,
    signal: (name) => void child.kill(name),
    close: endInput,
    ended: (async (): Promise<End> => {
      const how = await owned;
      await followed;
      end();
      return { ...how, stderr };
    })(),
  };
};

const configDirOf = (env: Readonly<Record<string, string>>) => env["CLAUDE_CONFIG_DIR"] ?? join(env["HOME"]!, ".claude");

/** Where the session of this process is reached. Undefined if the process ended first. */
async function socketOf(
  pid: number,
  env: Readonly<Record<string, string>>,
  hasEnded: () => boolean,
): Promise<string | undefined> {
  const leases = new Bun.Glob("projects/*/*.owner");
  for (;;) {
    if (hasEnded()) return undefined;
    const isThere = existsSync(configDirOf(env));
    for (const path of isThere ? leases.scanSync({ cwd: configDirOf(env) }) : []) {
      const holder = await leaseHolder(join(configDirOf(env), path));
      if (holder?.pid === pid && holder.socket !== undefined) return holder.socket;
    }
    await Bun.sleep(10);
  }
}
