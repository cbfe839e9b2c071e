// The language servers of a session: which one a file belongs to, one for each folder, and their end.

import { createFiles } from "../files/files.ts";
import { createServerPrograms, type ServerProgramsOptions } from "../servers/programs.ts";
import type { CodeFindings, ConfiguredLanguageServer } from "@keelson/protocol";
import type { CodeQuestion } from "./client/client.ts";
import type { Edit, FileProblems } from "./edits.ts";
import { languageIdOf, serverOf } from "./match.ts";
import { memoryOf } from "./memory.ts";
import { LanguageServer, type LanguageServerOptions, type LanguageServerStatus } from "./server.ts";
import { LanguageServerError } from "./wire/errors.ts";

export interface LanguageServersOptions extends ServerProgramsOptions {
  /** Those that may be used, in order of precedence. */
  servers(): readonly ConfiguredLanguageServer[];
  /** From `serverEnvironment`, for a server in this folder. */
  environment(root: string): Readonly<Record<string, string>>;
  /** Fills in the secret options of its plugin. */
  withSecrets?(server: ConfiguredLanguageServer): Promise<ConfiguredLanguageServer>;
  /** A folder that is not trusted: the program of this server is not taken from it. */
  outside?(server: ConfiguredLanguageServer): string | undefined;
  mayRead(path: string): boolean;
  log(text: () => string): void;
  /** For tests: time and memory. */
  readonly machine?: Partial<Pick<LanguageServerOptions, "memoryOf" | "every" | "wait" | "now">>;
}

/** Paths are given with links resolved. */
export interface LanguageServers {
  /** Undefined if no server is for files of this name. */
  serverFor(path: string): ConfiguredLanguageServer | undefined;
  /** Rejects with LanguageServerError. `root` is the folder to work in, unless the server has its own. */
  ask(question: CodeQuestion, root: string, signal: AbortSignal): Promise<CodeFindings>;
  /** Tells the server of the file, in the background. */
  edited(edit: Edit, root: string): void;
  /** Errors and warnings of the wanted files that edits brought, and that were not taken before. */
  takeNewProblems(wants: (path: string) => boolean): readonly FileProblems[];
  status(): readonly LanguageServerStatus[];
  /** Resolves when no server is left. */
  close(): Promise<void>;
}

/** Servers that run at the same time; the one used longest ago makes room. */
const MOST_RUNNING = 8;

export function createLanguageServers(options: LanguageServersOptions): LanguageServers {
  const {
    servers,
    environment,
    withSecrets = async (server) => server,
    outside,
    mayRead,
    log,
    machine = {},
    ...shell
  } = options;
  const programs = createServerPrograms(shell);
  /** The one used last comes last. */
  const running = new Map<string, { readonly server: LanguageServer; readonly configured: string }>();
  const ending = new Set<Promise<void>>();
  // Paths have no links in them; one that appears later is not followed.
  const files = createFiles((path) => path);

  const end = (key: string) => {
    const closing = running.get(key)?.server.close();
    running.delete(key);
    if (!closing) return;
    ending.add(closing);
    void closing.finally(() => ending.delete(closing));
  };

  function find(path: string, folder: string): LanguageServer {
    const configured = serverOf(path, servers());
    if (!configured) throw new LanguageServerError("file", `No language server is configured for "${path}"`);
    const root = configured.workspaceFolder ?? folder;
    const key = `${configured.name}\0${root}`;
    const text = JSON.stringify(configured);
    const known = running.get(key);
    if (known && known.configured !== text) end(key);
    const server = known?.configured === text ? known.server : create(configured, root);
    running.delete(key);
    running.set(key, { server, configured: text });
    for (const oldest of running.keys()) {
      if (running.size <= MOST_RUNNING) break;
      end(oldest);
    }
    return server;
  }

  function create(configured: ConfiguredLanguageServer, root: string): LanguageServer {
    return new LanguageServer({
      server: configured,
      root,
      files,
      mayRead,
      log,
      languageOf: (path) => languageIdOf(path, configured) ?? "plaintext",
      async start() {
        const { command, args, env, confined = false } = await withSecrets(configured);
        const place = { cwd: root, env: environment(root), entryEnv: env, outside: outside?.(configured) };
        return programs.start({ command, args, ...place, confined });
      },
      memoryOf: machine.memoryOf ?? memoryOf,
      every: machine.every ?? everyInterval,
      wait: machine.wait ?? waitFor,
      now: machine.now ?? (() => performance.now()),
    });
  }

  return {
    serverFor: (path) => serverOf(path, servers()),
    // A function that throws would escape the promise.
    ask: async (question, root, signal) => find(question.path, root).ask(question, signal),
    edited(edit, root) {
      if (serverOf(edit.path, servers())?.diagnostics) find(edit.path, root).edited(edit);
    },
    takeNewProblems: (wants) => [...running.values()].flatMap(({ server }) => server.takeNewProblems(wants)),
    status: () => [...running.values()].map(({ server }) => server.status),
    async close() {
      for (const key of [...running.keys()]) end(key);
      await Promise.all(ending);
      await programs.close();
    },
  };
}

function everyInterval(ms: number, look: () => void): () => void {
  const timer = setInterval(look, ms);
  timer.unref();
  return () => clearInterval(timer);
}

function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    if (!signal) timer.unref();
    const stop = () => {
      clearTimeout(timer);
      resolve();
    };
    signal?.addEventListener("abort", stop, { once: true });
  });
}
