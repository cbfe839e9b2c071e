// The language servers of a session at work: answers questions about code, and tells the servers what tools write.

import { basename, relative, sep } from "node:path";
import { folderToAvoid } from "@keelson/config/governing";
import { reminder, ToolError, type Files, type ToolContext } from "@keelson/engine";
import { createLanguageServers, LanguageServerError, type CodeQuestion, type LanguageServers } from "@keelson/host/lsp";
import { serverEnvironment } from "@keelson/host/servers";
import type { CodeFindings, ConfiguredLanguageServer, NewEntry } from "@keelson/protocol";
import type { Gate } from "../gate/gate.ts";
import type { Machine } from "../machine/machine.ts";
import type { Storage } from "../session/storage.ts";
import type { CodeAuthor } from "./open-lsp.ts";
import { problemsText } from "./problems-text.ts";

/** Larger files are not given to servers, so no one needs to know what they were like. */
const MAX_BYTES = 5 * 1024 * 1024;

export class SessionCode {
  readonly #storage: Storage;
  readonly #machine: Machine;
  readonly #gate: Gate;
  readonly #servers: LanguageServers;
  /** Who edited a file last. */
  readonly #editors = new Map<string, CodeAuthor>();

  constructor(storage: Storage, machine: Machine, gate: Gate) {
    const { state, options, place } = storage;
    this.#storage = storage;
    this.#machine = machine;
    this.#gate = gate;
    this.#servers = createLanguageServers({
      confine: (program) => machine.confine(program),
      programs: () => machine.governing.programs,
      outside: ({ scope }) => folderToAvoid(state.snapshot, scope),
      servers: () => state.snapshot.lsp.servers,
      environment: (root) =>
        serverEnvironment({
          childEnv: state.snapshot.childEnv,
          sessionId: place.id,
          entrypoint: options.entrypoint,
          projectDir: root,
        }),
      withSecrets: (server) => this.#withSecrets(server),
      mayRead: (path) => gate.ruleBook.mayRead(path),
      log: (text) => options.debug?.("lsp", text),
    });
  }

  /** Throws ToolError. */
  async ask(question: CodeQuestion, { workspace, signal, files }: ToolContext): Promise<CodeFindings> {
    // Where the path led when the gate decided.
    const path = (await files.stat(question.path))?.realPath ?? question.path;
    const server = this.#servers.serverFor(path);
    if (!server) throw new ToolError(noServer(path, this.#storage.state.snapshot.lsp.servers));
    try {
      return await this.#servers.ask({ ...question, path }, rootFor(path, workspace), signal);
    } catch (error) {
      if (!(error instanceof LanguageServerError)) throw error;
      throw new ToolError(explained(server.name, error));
    }
  }

  /** Writes the file, then tells the server that knows its language. */
  async write(files: Files, path: string, bytes: Uint8Array, author: CodeAuthor): Promise<void> {
    const server = this.#servers.serverFor(path);
    const isSeen = server?.diagnostics === true && bytes.length <= MAX_BYTES && this.#gate.ruleBook.mayRead(path);
    const before = isSeen ? await textOf(files, path).catch(() => null) : undefined;
    await files.write(path, bytes);
    if (!isSeen || before === null) return;
    const real = (await files.stat(path).catch(() => null))?.realPath;
    if (real === undefined) return;
    this.#editors.delete(real);
    this.#editors.set(real, author);
    const after = new TextDecoder().decode(bytes);
    this.#servers.edited({ path: real, before, after }, rootFor(real, author.workspace));
  }

  takeNotices(owner: string | undefined): readonly NewEntry[] {
    const { agentInboxes } = this.#machine;
    // For an agent that has ended, the session gets them.
    const isFor = (path: string) => {
      const editor = this.#editors.get(path)?.owner;
      return editor === owner || (owner === undefined && editor !== undefined && !agentInboxes.has(editor));
    };
    const mayRead = (path: string) => this.#gate.ruleBook.mayRead(path);
    const found = this.#servers.takeNewProblems(isFor).filter(({ path }) => mayRead(path));
    if (found.length === 0) return [];
    const { newId, folders } = this.#storage;
    const { cwd } = this.#editors.get(found[0]!.path)?.workspace ?? folders.workspace;
    return [reminder(problemsText(found, cwd), newId())];
  }

  status() {
    return this.#servers.status();
  }

  close(): Promise<void> {
    return this.#servers.close();
  }

  async #withSecrets(server: ConfiguredLanguageServer): Promise<ConfiguredLanguageServer> {
    if (server.secretOptions === undefined) return server;
    const { secretValues, withSecretValues } = await import("../plugins/secret-options.ts");
    const values = await secretValues(server, this.#storage.state.snapshot);
    const { command, args, env } = server;
    const filled = withSecretValues({ type: "stdio", command, args, env }, values);
    return filled.type === "stdio"
      ? { ...server, command: filled.command, args: filled.args, env: filled.env }
      : server;
  }
}

/** Undefined if there is no file; null if it is nothing that a server could have seen. */
async function textOf(files: Files, path: string): Promise<string | undefined | null> {
  const stat = await files.stat(path);
  if (stat === null) return undefined;
  if (stat.kind !== "file" || stat.size > MAX_BYTES) return null;
  return new TextDecoder().decode(await files.read(path));
}

/** The working directory that the file is in; the innermost, if there are several. */
function rootFor(path: string, { directories, root }: ToolContext["workspace"]): string {
  const around = directories.filter((each) => {
    const inside = relative(each, path);
    return inside !== ".." && !inside.startsWith(`..${sep}`);
  });
  return around.toSorted((a, b) => b.length - a.length)[0] ?? root;
}

const MOST_NAMED = 20;

function noServer(path: string, servers: readonly ConfiguredLanguageServer[]): string {
  const endings = [...new Set(servers.flatMap(({ languages }) => Object.keys(languages)))].toSorted();
  const named = endings.slice(0, MOST_NAMED).join(", ");
  const known = endings.length > MOST_NAMED ? `${named}, …` : named;
  return `No language server is configured for "${basename(path)}". There are servers for: ${known || "nothing"}`;
}

/** The messages of servers begin with "It". */
function explained(name: string, { message }: LanguageServerError): string {
  const said = /^It (.*)$/s.exec(message)?.[1];
  return said === undefined ? `Language server "${name}": ${message}` : `The language server "${name}" ${said}`;
}
