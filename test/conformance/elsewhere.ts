// A client in another process than its session: the program runs as the owner, with a client on its pipe that says nothing,
// and this one attaches over the owner's socket.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { leaseHolder } from "@keelson/disk/lease/take";
import type { AttachOptions, Inbound, Outbound, SessionClient } from "@keelson/protocol";
import { connectSession } from "../../packages/runtime/src/owner/remote-session.ts";
import { MadeUpIds } from "./made-up-ids.ts";

export interface Owner {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Elsewhere {
  send(message: object): void;
  /** Of the owner. */
  endInput(): void;
  kill(signal: NodeJS.Signals): void;
  /** When the owner has ended and everything it said was taken. */
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly stderr: string;
  }>;
}

/** What is sent before it is attached is sent then. The session needs an id that is known from the start. */
export function startElsewhere(owner: Owner, how: AttachOptions, take: (message: Outbound) => void): Elsewhere {
  const [program, ...args] = owner.command;
  const child = spawn(program!, args, { cwd: owner.cwd, env: owner.env });
  child.stdin.on("error", () => {});
  child.stdout.resume();
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  let hasEnded = false;
  const owned = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
    child.once("close", (code, signal) => {
      hasEnded = true;
      resolve({ code, signal });
    }),
  );
  const endInput = () => void child.stdin.end();
  const ids = new MadeUpIds();
  const unsent: Inbound[] = [];
  let client: SessionClient | undefined;

  const follow = async () => {
    const configDir = owner.env["CLAUDE_CONFIG_DIR"] ?? join(owner.env["HOME"]!, ".claude");
    const socket = await socketOf(child.pid!, configDir, () => hasEnded);
    if (socket === undefined) return;
    const session = await connectSession({ socket, configDir, ownAnswers: false }, AbortSignal.timeout(10_000));
    client = session.attach({ name: "elsewhere", whenSlow: "hold", ...how });
    for (const message of unsent.splice(0)) client.send(message);
    try {
      for await (const message of client.messages) {
        const seen = ids.without(message);
        if (seen !== undefined) take(seen);
      }
    } catch (error) {
      // So it says when the owner has ended.
      if (!String(error).includes("was ended by the program")) throw error;
    }
  };
  const followed = follow().finally(endInput);
  followed.catch(() => undefined);

  return {
    endInput,
    kill: (signal) => void child.kill(signal),
    send(message: any) {
      const isUnnamed = message.type === "user" && message.uuid === undefined;
      const sent: Inbound = isUnnamed ? { ...message, uuid: crypto.randomUUID() } : message;
      if (isUnnamed) ids.add((sent as { uuid: string }).uuid);
      if (client) client.send(sent);
      else unsent.push(sent);
    },
    ended: (async () => {
      const how = await owned;
      await followed;
      return { ...how, stderr };
    })(),
  };
}

/** Where the session of this process is reached. Undefined if the process ended first. */
async function socketOf(pid: number, configDir: string, hasEnded: () => boolean): Promise<string | undefined> {
  const leases = new Bun.Glob("projects/*/*.owner");
  while (!hasEnded()) {
    for (const path of existsSync(configDir) ? leases.scanSync({ cwd: configDir }) : []) {
      const holder = await leaseHolder(join(configDir, path));
      if (holder?.pid === pid && holder.socket !== undefined) return holder.socket;
    }
    await Bun.sleep(10);
  }
  return undefined;
}
