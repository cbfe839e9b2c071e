// The words and flags of `keelson mcp add` as a server entry, in the form that compatible programs write.

import type { JsonObject } from "@keelson/protocol";
import { UsageError } from "../../../args/invocation.ts";
import type { Invoked } from "../../group.ts";

const USAGE = "usage: keelson mcp add [options] <name> <command-or-url> [args...]";

export interface NamedEntry {
  readonly name: string;
  readonly entry: JsonObject;
}

export function entryFrom({ given, words: all }: Invoked): NamedEntry {
  const wanted = given.text("transport") ?? "stdio";
  const transport = wanted === "streamable-http" ? "http" : wanted;
  // `-e A=1 B=2`: compatible programs take several values after one flag. No name, command or URL looks like these.
  const words = [...all];
  const valuesOf = (flag: string, fits: RegExp, last = Infinity) => {
    const values = [...(given.list(flag) ?? [])];
    for (let at = 0; values.length > 0 && at < Math.min(words.length, last);) {
      if (fits.test(words[at]!)) values.push(...words.splice(at, 1));
      else at++;
    }
    return values;
  };
  // What follows a command is its own.
  const env = valuesOf("env", /^[A-Za-z_]\w*=/, 2).map(pair);
  const headers = valuesOf("header", /^[\w-]+:\s/).map(header);
  const [name, target, ...args] = words;
  if (name === undefined || target === undefined) throw new UsageError(USAGE);

  const isUrl = /^(?:https?|wss?):\/\//i.test(target);
  if (transport === "stdio") {
    if (isUrl) {
      const kind = /^ws/i.test(target) ? "ws" : "http";
      const other = kind === "http" ? " (or sse)" : "";
      throw new UsageError(`"${target}" is a URL; add --transport ${kind}${other}`);
    }
    refuse(given.list("header") !== undefined, "--header is only for URLs; add --transport http");
    refuse(hasOAuth(given), "--client-id, --client-secret and --callback-port are only for URLs; add --transport http");
    return { name, entry: { type: "stdio", command: target, args, env: Object.fromEntries(env) } };
  }
  refuse(given.list("env") !== undefined, "--env is only for programs; remove it, or use --transport stdio");
  refuse(args.length > 0, `a URL takes no arguments: "${args.join(" ")}"`);
  return {
    name,
    entry: {
      type: transport,
      url: target,
      ...(headers.length > 0 ? { headers: Object.fromEntries(headers) } : {}),
      ...oauthFrom(given),
    },
  };
}

function refuse(isWrong: boolean, why: string): void {
  if (isWrong) throw new UsageError(why);
}

const hasOAuth = (given: Invoked["given"]) =>
  ["client-id", "client-secret", "callback-port"].some((flag) => given.has(flag));

function oauthFrom(given: Invoked["given"]) {
  const clientId = given.text("client-id");
  const callbackPort = given.number("callback-port");
  refuse(callbackPort !== undefined && callbackPort > 65_535, "--callback-port must be at most 65535");
  refuse(given.has("client-secret") && clientId === undefined, "--client-secret requires --client-id");
  if (clientId === undefined && callbackPort === undefined) return {};
  return {
    oauth: {
      ...(clientId === undefined ? {} : { clientId }),
      ...(callbackPort === undefined ? {} : { callbackPort }),
    },
  };
}

function pair(text: string): readonly [string, string] {
  const equals = text.indexOf("=");
  if (equals <= 0) throw new UsageError(`--env "${text}" should be KEY=value`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

function header(text: string): readonly [string, string] {
  const colon = text.indexOf(":");
  if (colon <= 0) throw new UsageError(`--header "${text}" should be "Name: value"`);
  return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
}
