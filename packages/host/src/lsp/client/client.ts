// One running language server: the handshake, its documents, questions about code, and its diagnostics.

import { basename } from "node:path";
import type { Files } from "@keelson/engine";
import {
  isObject,
  VERSION,
  type CodeFindings,
  type CodeOperation,
  type CodePosition,
  type CodeProblem,
  type ConfiguredLanguageServer,
} from "@keelson/protocol";
import type { ServerProgram } from "../../servers/program.ts";
import { answerServer } from "../wire/answers.ts";
import { abilitiesOf, CLIENT_CAPABILITIES, type ServerAbilities } from "../wire/capabilities.ts";
import { Connection } from "../wire/connection.ts";
import { LanguageServerError } from "../wire/errors.ts";
import { pathOf, uriOf } from "../wire/uri.ts";
import { Documents } from "./documents.ts";
import { findingsOf, type Found } from "./findings.ts";
import { lineAt, lineCount, toServer, wordAt } from "./positions.ts";
import { problemsOf } from "./problems.ts";

export interface LanguageClientOptions {
  readonly server: ConfiguredLanguageServer;
  readonly root: string;
  readonly program: ServerProgram;
  readonly files: Files;
  mayRead(path: string): boolean;
  languageOf(path: string): string;
  /** The server published the problems of a file, for the version of it that it names. */
  published(path: string, problems: readonly CodeProblem[], version: number | undefined): void;
  /** Diagnostics may have changed without an edit. */
  refreshed(): void;
  closed(reason: string): void;
  log(text: () => string): void;
}

export interface CodeQuestion {
  readonly operation: CodeOperation;
  readonly path: string;
  /** In UTF-16, from 0. */
  readonly position: CodePosition;
}

/** Of the items that a position stands for; usually there is one. */
const MOST_ITEMS = 5;
const MOST_PROGRESS = 100;
const MOST_REGISTERED = 1_000;
const DIAGNOSTIC = "textDocument/diagnostic";

export class LanguageClient {
  readonly documents: Documents;
  readonly #options: LanguageClientOptions;
  readonly #connection: Connection;
  readonly #abilities: ServerAbilities;
  /** Methods by the id of their registration: one may be registered again before it is withdrawn. */
  readonly #registered: ReadonlyMap<string, string>;
  readonly #progress: Set<unknown>;

  /** Starts the conversation. Rejects with LanguageServerError if the server does not finish the handshake. */
  static async open(options: LanguageClientOptions): Promise<LanguageClient> {
    const { server, root, program, published, refreshed, closed, log } = options;
    const folder = { uri: uriOf(root), name: basename(root) || root };
    const settings = server.settings ?? {};
    const registered = new Map<string, string>();
    const progress = new Set<unknown>();
    const source = {
      settings,
      folder,
      registered(id: string, method: string | undefined) {
        if (method === undefined) registered.delete(id);
        else if (registered.size < MOST_REGISTERED) registered.set(id, method);
        if (method === DIAGNOSTIC) refreshed();
      },
      refreshDiagnostics: refreshed,
    };
    const connection = new Connection(program, {
      request: (method, params) => answerServer(method, params, source),
      notification: (method, params) => {
        if (!isObject(params)) return;
        if (method === "textDocument/publishDiagnostics" && typeof params["uri"] === "string") {
          const { uri, diagnostics, version } = params;
          published(pathOf(uri), problemsOf(diagnostics), typeof version === "number" ? version : undefined);
        } else if (method === "$/progress" && isObject(params["value"])) {
          const { token, value } = params as { token: unknown; value: { kind?: unknown } };
          if (value.kind === "end") progress.delete(token);
          else if (value.kind === "begin" && progress.size < MOST_PROGRESS) progress.add(token);
        } else if (method === "window/logMessage" || method === "window/showMessage") {
          log(() => String(params["message"]).slice(0, 500));
        }
      },
      closed,
    });
    const answer = await connection.request(
      "initialize",
      {
        // A server may watch its parent, which it cannot see from inside the sandbox.
        processId: server.confined ? null : process.pid,
        clientInfo: { name: "keelson", version: VERSION },
        rootPath: root,
        rootUri: folder.uri,
        workspaceFolders: [folder],
        capabilities: CLIENT_CAPABILITIES,
        trace: "off",
        ...(server.initializationOptions === undefined ? {} : { initializationOptions: server.initializationOptions }),
      },
      { timeoutMs: server.startupTimeoutMs },
    );
    connection.notify("initialized", {});
    if (server.settings) connection.notify("workspace/didChangeConfiguration", { settings });
    return new LanguageClient(options, connection, { abilities: abilitiesOf(answer), registered, progress });
  }

  private constructor(
    options: LanguageClientOptions,
    connection: Connection,
    known: { abilities: ServerAbilities; registered: ReadonlyMap<string, string>; progress: Set<unknown> },
  ) {
    this.#options = options;
    this.#connection = connection;
    this.#abilities = known.abilities;
    this.#registered = known.registered;
    this.#progress = known.progress;
    const { files, mayRead, languageOf } = options;
    const notify = (method: string, params: object) => connection.notify(method, params);
    this.documents = new Documents({ notify, sync: known.abilities.sync, languageOf, files, mayRead });
  }

  get isClosed(): boolean {
    return this.#connection.isClosed;
  }

  /** Whether it answers `pull`; otherwise it publishes problems when it likes. */
  get pulls(): boolean {
    return this.#abilities.pullsDiagnostics || this.#hasRegistered(DIAGNOSTIC);
  }

  async ask({ operation, path, position }: CodeQuestion, signal: AbortSignal): Promise<CodeFindings> {
    const { encoding, operations } = this.#abilities;
    const method = METHODS[operation];
    if (!operations.has(operation) && !this.#hasRegistered(method)) {
      throw new LanguageServerError("unsupported", `It does not support ${operation}`);
    }
    const text = await this.documents.fromDisk(path);
    const line = lineAt(text, position.line);
    if (line === undefined) {
      const count = lineCount(text);
      throw new LanguageServerError(
        "file",
        `Line ${position.line + 1} is past the end of the file, which has ${count} lines`,
      );
    }
    const word = wordAt(line, position.character);
    const at = { textDocument: { uri: uriOf(path) }, position: toServer(line, position, encoding) };
    const found = await this.#find(operation, { at, word, path }, signal);
    return { encoding, word, ...found, ...(this.#progress.size > 0 ? { isBusy: true as const } : {}) };
  }

  /** The problems of an open document. Rejects with LanguageServerError. */
  async pull(path: string, signal?: AbortSignal): Promise<readonly CodeProblem[]> {
    const answer = await this.#request(DIAGNOSTIC, { textDocument: { uri: uriOf(path) } }, signal);
    return problemsOf(isObject(answer) ? answer["items"] : undefined);
  }

  /** Files that the server has not open changed on disk. */
  changedOnDisk(changes: readonly { readonly path: string; readonly type: "created" | "changed" | "deleted" }[]): void {
    if (changes.length === 0) return;
    const types = { created: 1, changed: 2, deleted: 3 } as const;
    this.#connection.notify("workspace/didChangeWatchedFiles", {
      changes: changes.map(({ path, type }) => ({ uri: uriOf(path), type: types[type] })),
    });
  }

  /** Says goodbye as the protocol wants: `shutdown`, wait, `exit`. Never rejects; the caller ends the program. */
  async shutdown(timeoutMs: number): Promise<void> {
    if (this.#connection.isClosed) return;
    await this.#connection.request("shutdown", undefined, { timeoutMs }).catch(() => undefined);
    this.#connection.notify("exit", undefined);
    const wait = new Promise<void>((resolve) => setTimeout(resolve, timeoutMs).unref());
    await Promise.race([this.#connection.flushed().then(() => this.#options.program.exited), wait]);
    this.#connection.close("It was ended");
  }

  close(reason: string): void {
    this.#connection.close(reason);
  }

  #hasRegistered(method: string): boolean {
    return this.#registered.values().some((each) => each === method);
  }

  async #find(
    operation: CodeOperation,
    { at, word, path }: { at: object; word: string; path: string },
    signal: AbortSignal,
  ): Promise<Found> {
    const ask = async (params: object) =>
      findingsOf(operation, await this.#request(METHODS[operation], params, signal), path);
    switch (operation) {
      case "documentSymbol":
        return ask({ textDocument: { uri: uriOf(path) } });
      case "workspaceSymbol":
        return ask({ query: word });
      case "findReferences":
        return ask({ ...at, context: { includeDeclaration: true } });
      case "incomingCalls":
      case "outgoingCalls": {
        const items = await this.#request(METHODS.prepareCallHierarchy, at, signal);
        const all = await Promise.all(
          (Array.isArray(items) ? items : []).slice(0, MOST_ITEMS).map((item) => ask({ item })),
        );
        return { ...all[0], calls: all.flatMap(({ calls = [] }) => calls) };
      }
      default:
        return ask(at);
    }
  }

  /** A server that is told of a change while it works may drop its answer; then it is asked once more. */
  async #request(method: string, params: object, signal?: AbortSignal): Promise<unknown> {
    const options = { timeoutMs: this.#options.server.requestTimeoutMs, signal };
    try {
      return await this.#connection.request(method, params, options);
    } catch (error) {
      const { kind } = error as LanguageServerError;
      if (kind !== "cancelled" || signal?.aborted) throw error;
      return this.#connection.request(method, params, options);
    }
  }
}

const METHODS: Readonly<Record<CodeOperation, string>> = {
  goToDefinition: "textDocument/definition",
  findReferences: "textDocument/references",
  hover: "textDocument/hover",
  documentSymbol: "textDocument/documentSymbol",
  workspaceSymbol: "workspace/symbol",
  goToImplementation: "textDocument/implementation",
  prepareCallHierarchy: "textDocument/prepareCallHierarchy",
  incomingCalls: "callHierarchy/incomingCalls",
  outgoingCalls: "callHierarchy/outgoingCalls",
};
