// Controls the scripted model: starts its process, sends it a script, collects its timestamps.

import { join } from "node:path";
import type { Reply } from "./script.ts";

export interface Stamp {
  readonly isTurn: boolean;
  /** When the whole request had arrived. */
  readonly arrived: number;
  readonly bytes: number;
  /** When the last byte of the reply was written. */
  ended: number;
}

export type ToServer =
  | { readonly type: "play"; readonly replies: readonly Reply[]; readonly expected: readonly string[] }
  | { readonly type: "report" };

export type FromServer =
  | { readonly type: "listening"; readonly port: number }
  | { readonly type: "ready" }
  | { readonly type: "report"; readonly stamps: readonly Stamp[]; readonly found: readonly string[] };

export interface ScriptedModel {
  readonly url: string;
  /** `expected` are texts that the last request of the script must contain. */
  play(replies: readonly Reply[], expected?: readonly string[]): Promise<void>;
  report(): Promise<{ readonly stamps: readonly Stamp[]; readonly found: readonly string[] }>;
  close(): void;
}

export async function startModel(): Promise<ScriptedModel> {
  let resolve: (message: FromServer) => void;
  let answer = nextAnswer();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "server.ts")], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (message) => resolve(message),
  });

  async function ask<T extends FromServer["type"]>(type: T, message?: ToServer) {
    if (message) {
      answer = nextAnswer();
      child.send(message);
    }
    const got = await answer;
    if (got.type !== type) throw new Error(`The scripted model answered "${got.type}", not "${type}"`);
    return got as Extract<FromServer, { type: T }>;
  }
  function nextAnswer(): Promise<FromServer> {
    return new Promise((done) => {
      resolve = done;
    });
  }

  const { port } = await ask("listening");
  return {
    url: `http://127.0.0.1:${port}`,
    async play(replies, expected = []) {
      await ask("ready", { type: "play", replies, expected });
    },
    report: () => ask("report", { type: "report" }),
    close: () => child.disconnect(),
  };
}
