// keelson acp --record FILE: the messages between an editor and this program, for bug reports. One JSON line for each
// message; values that are or may be secrets are left out, and long ones are cut.

import { isObject, LineSplitter, tryParse } from "@keelson/protocol";
import { hideSecrets } from "@keelson/runtime/hide-secrets";
import type { EditorStreams } from "@keelson/acp";

export interface RecordOptions {
  /** Its keys are left out wherever they appear. */
  readonly env: Readonly<Record<string, string | undefined>>;
  append(text: string): void;
  now(): Date;
}

type Side = "editor" | "keelson";

export function recorded({ input, write }: EditorStreams, { env, append, now }: RecordOptions): EditorStreams {
  const hide = hideSecrets(env);
  const note = (from: Side, line: string) => {
    if (line.trim() === "") return;
    const parsed = tryParse(line);
    const said = parsed === undefined ? { text: shortened(hideTokens(hide(line))) } : { message: clean(parsed, hide) };
    append(`${JSON.stringify({ time: now().toISOString(), from, ...said })}\n`);
  };
  return {
    input: tapped(input, (line) => note("editor", line)),
    write: (line) => {
      note("keelson", line);
      return write(line);
    },
  };
}

/** A line that is longer is left out; the protocol has the same limit. */
const LONGEST_LINE = 64 * 1024 * 1024;

async function* tapped(input: AsyncIterable<Uint8Array>, take: (line: string) => void): AsyncGenerator<Uint8Array> {
  let lines = new LineSplitter({ maxBytes: LONGEST_LINE });
  for await (const chunk of input) {
    try {
      for (const line of lines.push(chunk)) take(line);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      lines = new LineSplitter({ maxBytes: LONGEST_LINE });
    }
    yield chunk;
  }
}

const HIDDEN = "[hidden]";
const MOST_TEXT = 8000;
const SECRET_NAME = /(?:key|token|secret|password|passphrase|credentials?|authorization|cookie)$/i;
/** Fields of the editor's MCP servers whose values are only for those servers. */
const OF_SERVERS = new Set(["env", "headers"]);

function clean(value: unknown, hide: (text: string) => string, name = ""): unknown {
  if (typeof value === "string") {
    if (SECRET_NAME.test(name)) return HIDDEN;
    if (name === "data" || name === "blob") return `[${value.length} characters]`;
    return shortened(hideTokens(hide(value)));
  }
  if (Array.isArray(value)) {
    if (OF_SERVERS.has(name))
      return (value as unknown[]).map((each) => (isObject(each) ? { ...each, value: HIDDEN } : HIDDEN));
    if (name === "mcpServers") return (value as unknown[]).map((each) => withoutArguments(clean(each, hide)));
    return (value as unknown[]).map((each) => clean(each, hide));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, clean(each, hide, key)]));
}

function withoutArguments(server: unknown): unknown {
  if (!isObject(server)) return server;
  const { args, url } = server;
  return {
    ...server,
    ...(Array.isArray(args) ? { args: args.map(() => HIDDEN) } : {}),
    ...(typeof url === "string"
      ? { url: url.replace(/\/\/[^/@]*@/, `//${HIDDEN}@`).replace(/\?.*$/s, `?${HIDDEN}`) }
      : {}),
  };
}

const shortened = (text: string) =>
  text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}… (${text.length} characters)` : text;

/** As the keys of well-known services look. */
const TOKENS =
  /\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|A[KS]IA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*)|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)|(?<=\bBearer )\S{8,}/gs;

const hideTokens = (text: string) => text.replace(TOKENS, HIDDEN);
