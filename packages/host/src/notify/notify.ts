// Ways to reach the user: the terminal, the desktop, a program of theirs, a server such as ntfy. Each says whether it
// worked; none throws. Text reaches programs as an argument or on stdin, never through a shell.

import { callService } from "../service-call.ts";
import { helperEnvironment, type FindHelper } from "../programs/registry/helpers.ts";
import { terminalSequence } from "./terminal.ts";

export interface Notice {
  readonly title: string;
  readonly message: string;
}

type Env = Readonly<Record<string, string>>;

const TIMEOUT_MS = 10_000;

export interface BellTarget {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Only if a terminal is there. Never stdout: programs read that. */
export function notifyTerminal(
  { title, message }: Notice,
  {
    channel,
    env,
    terminal,
  }: { readonly channel?: string | undefined; readonly env: Env; readonly terminal: BellTarget },
): boolean {
  const sequence = terminal.isTTY === true ? terminalSequence(channel, title, message, env) : "";
  if (sequence === "") return false;
  terminal.write(sequence);
  return true;
}

/** By notify-send or, on macOS, osascript. */
export async function notifyDesktop(
  { title, message }: Notice,
  { env, find, signal }: { readonly env: Env; readonly find: FindHelper; readonly signal: AbortSignal },
): Promise<boolean> {
  const send = find("notify-send");
  if (send)
    return ends([send, "--app-name=Keelson", "--", title, escapeMarkup(message)], helperEnvironment(env), signal);
  const script = find("osascript");
  if (!script) return false;
  const lines = ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];
  return ends([script, ...lines.flatMap((line) => ["-e", line]), "--", title, message], helperEnvironment(env), signal);
}

/** The program gets the message on stdin, and both texts as variables. */
export function notifyByProgram(
  { title, message }: Notice,
  argv: readonly string[],
  env: Env,
  signal: AbortSignal,
): Promise<boolean> {
  const variables = { KEELSON_NOTIFICATION_TITLE: title, KEELSON_NOTIFICATION_MESSAGE: message };
  return ends(argv, { ...env, ...variables }, signal, message);
}

/** As ntfy takes it: the message is the body, the title a header. */
export async function notifyByHttp(
  { title, message }: Notice,
  { url, token }: { readonly url: string; readonly token?: string | undefined },
  signal: AbortSignal,
): Promise<true | string> {
  try {
    const headers = { "content-type": "text/plain; charset=utf-8", title: title.replaceAll(/[^ -~]/g, "?") };
    const { status } = await callService({
      url,
      token,
      method: "POST",
      headers,
      body: message,
      signal,
      timeoutMs: TIMEOUT_MS,
    });
    return status >= 200 && status < 300 ? true : `the server answered with status ${status}`;
  } catch (error) {
    signal.throwIfAborted();
    return (error as Error).message;
  }
}

async function ends(argv: readonly string[], env: Env, signal: AbortSignal, input = ""): Promise<boolean> {
  try {
    const child = Bun.spawn([...argv], {
      env,
      stdin: new TextEncoder().encode(input),
      stdout: "ignore",
      stderr: "ignore",
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      killSignal: "SIGKILL",
    });
    return (await child.exited) === 0;
  } catch {
    // The program does not exist or may not be run.
    return false;
  }
}

/** Notification servers read a small part of HTML. */
const escapeMarkup = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
