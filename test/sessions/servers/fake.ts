// Servers for tests of the program: writes what a server offers, and reads what it noted.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TemporaryHome } from "@keelson/testkit";
import { until } from "../processes.ts";

export interface FakeScript {
  /** Where it notes what happens. */
  readonly log: string;
  /** Tools by name, or as the server lists them. Some names do something (`CALLS`); all others repeat their input. */
  readonly tools: readonly (string | { readonly name: string; readonly [field: string]: unknown })[];
  /** So many tools more. */
  readonly count?: number;
  readonly instructions?: string;
  readonly resources?: readonly {
    readonly uri: string;
    readonly name: string;
    readonly mimeType?: string;
    readonly text?: string;
    readonly blob?: string;
  }[];
  readonly prompts?: readonly {
    readonly name: string;
    readonly says: string;
    readonly arguments?: readonly { readonly name: string; readonly required?: boolean }[];
  }[];
  /** It answers nothing before this file exists. */
  readonly gate?: string;
  /** With `gate`: all but this method is answered. */
  readonly slowAt?: string;
  /** It ends at once, with this on stderr. */
  readonly exits?: string;
  /** It starts a child of its own. */
  readonly helper?: boolean;
  readonly ignoresSignals?: boolean;
  /** What `approve` answers, by tool. */
  readonly approves?: Readonly<Record<string, string>>;
}

export interface FakeServer {
  /** Its entry in a configuration. */
  readonly entry: { readonly command: string; readonly args: readonly string[] };
  /** What it noted so far. */
  readonly notes: readonly any[];
  /** The process ids of all its starts, with those of their children. */
  readonly pids: readonly number[];
  /** The number of messages of this method it got. */
  count(method: string): number;
  /** Resolves when it has got such a message. */
  got(method: string): Promise<void>;
  /** Resolves when it has been started. */
  started(): Promise<void>;
  /** Lets a server with `isSlow` answer. */
  open(): void;
}

const PROGRAM = join(import.meta.dir, "fake-server-main.ts");

/** `isSlow`: it answers nothing before `open` is called. `folder`: where it may write. */
export function fakeServer(
  home: TemporaryHome,
  name: string,
  {
    isSlow = false,
    folder = home.root,
    ...script
  }: Partial<FakeScript> & { readonly isSlow?: boolean; readonly folder?: string } = {},
): FakeServer {
  const at = (ending: string) => join(folder, `${name}.${ending}`);
  const full: FakeScript = { tools: ["echo"], ...script, log: at("log"), ...(isSlow ? { gate: at("gate") } : {}) };
  writeFileSync(at("json"), JSON.stringify(full));
  const notes = () =>
    existsSync(full.log)
      ? readFileSync(full.log, "utf8")
          .split("\n")
          .filter((line) => line.endsWith("}"))
          .map((line) => JSON.parse(line))
      : [];
  const count = (method: string) => notes().filter(({ got }) => got === method).length;
  return {
    entry: { command: process.execPath, args: [PROGRAM, at("json")] },
    get notes() {
      return notes();
    },
    get pids() {
      return notes().flatMap(({ started, helper }) => [started, helper].filter((pid) => pid !== undefined));
    },
    count,
    got: (method) => until(() => count(method) > 0, `The server "${name}" never got ${method}`),
    started: () => until(() => notes().some(({ started }) => started), `The server "${name}" was never started`),
    open: () => writeFileSync(at("gate"), ""),
  };
}

/** The environment of a session whose requests do not wait for servers. */
export const NO_WAIT = { CLAUDE_CODE_MCP_STARTUP_WAIT_MS: "0" } as const;

/** The flags for a session with these servers only. */
export const withServers = (servers: Readonly<Record<string, FakeServer | object>>): readonly string[] => [
  "--strict-mcp-config",
  "--mcp-config",
  JSON.stringify({
    mcpServers: Object.fromEntries(
      Object.entries(servers).map(([name, server]) => [name, "entry" in server ? server.entry : server]),
    ),
  }),
];

/** The names of the tools in a request. */
export const toolNames = ({ body }: { readonly body: any }): readonly string[] =>
  body.tools.map(({ name }: { name: string }) => name);

export const mcpNames = (request: { readonly body: any }): readonly string[] =>
  toolNames(request).filter((name) => name.startsWith("mcp__"));
