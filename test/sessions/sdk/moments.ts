// Moments in the life of a query at which someone may be killed, and an application that goes up to one of them and
// says so. Run as a program it is that application.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { query, type Options, type SDKMessage, type SessionStore } from "@keelson/sdk";
import { FileSessionStore, RedisSessionStore } from "@keelson/sdk/stores";
import type { ScriptedReply, ScriptStep } from "@keelson/testkit";
import { handedOut, kindOf, says } from "./door.ts";
import { isRunning } from "../processes.ts";

export type Moment = keyof typeof SCRIPTS;

export const bash = (command: string): ScriptedReply => ({ calls: [{ name: "Bash", input: { command } }] });

/** What the model must say for a moment to come. */
export const SCRIPTS = {
  "it starts": [{ hang: true }],
  "it is ready": [{ hang: true }],
  "a reply streams": [{ text: ["Half", " of it"], hold: new Promise(() => {}), holdAfter: 3 }],
  "a tool runs": [bash("echo $$ > pid; sleep 1000")],
  "a question is open": [bash("mkdir asked-for")],
  "a run has ended": [{ text: "first answer" }],
} satisfies Record<string, ScriptStep<any>[]>;

/** A store that another process can open too. */
export type StoreAddress = { readonly dir: string } | { readonly socket: string };

export function openStore(address: StoreAddress): SessionStore {
  if ("dir" in address) return new FileSessionStore(address);
  const client = new Bun.RedisClient(`redis+unix://${address.socket}`);
  return new RedisSessionStore({ command: ([name, ...args]) => client.send(name, args) });
}

/** The same store on a bad day: everything takes a while, and every other append is refused. */
export function unreliable(store: SessionStore): SessionStore {
  let appends = 0;
  return {
    load: (key) => store.load(key),
    async append(key, entries) {
      await Bun.sleep(20);
      if (appends++ % 2 === 0) throw new Error("the store is busy");
      await store.append(key, entries);
    },
  };
}

export const MOMENTS = Object.keys(SCRIPTS) as Moment[];

/** Begins a query and calls `reached`, once, at the moment. Ends with the error of the query, or nothing. */
export async function upTo(
  moment: Moment,
  options: Options,
  reached: () => void,
): Promise<{ seen: readonly SDKMessage[]; error: any }> {
  const prompts = handedOut<any>();
  prompts.give(says("work"));
  const arrive = (at: Moment) => {
    if (at === moment) reached();
  };
  const onQuestion = () => {
    arrive("a question is open");
    return new Promise<never>(() => {});
  };
  const running = query({
    prompt: prompts.items,
    options: {
      ...options,
      includePartialMessages: true,
      ...(moment === "a question is open" ? { canUseTool: onQuestion } : { allowedTools: ["Bash"] }),
    },
  });
  arrive("it starts");
  void commandIn(options.cwd!).then(() => arrive("a tool runs"));
  const seen: SDKMessage[] = [];
  try {
    for await (const message of running) {
      seen.push(message);
      const kind = kindOf(message);
      if (kind === "system/init") arrive("it is ready");
      if (message.type === "stream_event" && message.event.type === "content_block_delta") arrive("a reply streams");
      if (kind === "result") arrive("a run has ended");
    }
  } catch (error) {
    return { seen, error };
  }
  return { seen, error: undefined };
}

/** The process of the command, once it runs. */
export async function commandIn(folder: string): Promise<number> {
  const path = join(folder, "pid");
  for (;;) {
    if (existsSync(path) && readFileSync(path, "utf8").endsWith("\n")) return Number(readFileSync(path, "utf8"));
    await Bun.sleep(5);
  }
}

/** Running processes with this word in their command line. */
export function processesNamed(word: string): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 1 && contentOf(`/proc/${pid}/cmdline`).includes(word) && isRunning(pid));
}

function contentOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

if (import.meta.main) {
  const { moment, options, store } = JSON.parse(process.env["APPLICATION"]!) as {
    moment: Moment;
    options: Options;
    store?: StoreAddress;
  };
  const kept = store && { sessionStore: unreliable(openStore(store)), sessionStoreFlush: "eager" as const };
  await upTo(moment, { ...options, ...kept }, () => console.log("reached"));
}
