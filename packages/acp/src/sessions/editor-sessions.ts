// The sessions that an editor has open, by the ids that it knows them by.

import type { EditorHost, EditorServers, WantedEditorSession } from "../host.ts";
import { NoSuchSession } from "../host.ts";
import type { RpcConnection } from "../rpc/connection.ts";
import { ERROR_CODES, RpcError, wrongParams } from "../rpc/rpc-error.ts";
import type { ClientCapabilities } from "../schema/types.ts";
import { EditorSession, type BeginOptions, type SessionReply } from "./editor-session.ts";

export interface EditorSessionsOptions {
  readonly host: EditorHost;
  readonly connection: RpcConnection;
  /** Of the editor, as `initialize` says. */
  capabilities(): ClientCapabilities;
  signIn(): RpcError;
}

export interface BegunSession {
  readonly id: string;
  readonly session: EditorSession;
  readonly reply: SessionReply;
}

/** Of one editor. Each has a conversation, servers and files of its own. */
const MOST_SESSIONS = 200;

/** The files of a session have such names, in lower case. Anything else could be a path or a title. */
const SESSION_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const unknownSession = (id: string) =>
  new RpcError(ERROR_CODES.notFound, `There is no session ${JSON.stringify(id.slice(0, 100))}`);

export class EditorSessions {
  readonly #options: EditorSessionsOptions;
  readonly #open = new Map<string, EditorSession>();
  /** What is being done to the session of an id: one thing after the other. */
  readonly #doing = new Map<string, Promise<unknown>>();
  readonly #starting = new Set<Promise<unknown>>();
  /** How many are being opened. */
  #opening = 0;
  #isClosed = false;

  constructor(options: EditorSessionsOptions) {
    this.#options = options;
  }

  /** Throws an RpcError. */
  get(id: string): EditorSession {
    const session = this.#open.get(id);
    if (session === undefined) throw unknownSession(id);
    return session;
  }

  find(id: string): EditorSession | undefined {
    return this.#open.get(id);
  }

  async create(wanted: WantedEditorSession, servers: EditorServers): Promise<BegunSession> {
    const directories = wanted.additionalDirectories;
    return this.#start(wanted, { replay: false, servers, directories });
  }

  /** One that is open here gets a new client in place of its own. */
  resume(
    id: string,
    wanted: WantedEditorSession,
    how: Pick<BeginOptions, "replay" | "servers">,
  ): Promise<BegunSession> {
    if (!SESSION_ID.test(id)) return Promise.reject(unknownSession(id));
    const all = { ...how, directories: wanted.additionalDirectories };
    return this.#inTurn(id, async () => {
      const session = this.#open.get(id);
      if (session) return { id, session, reply: await session.begin(all) };
      try {
        return await this.#start({ ...wanted, resume: id }, all, id);
      } catch (error) {
        throw error instanceof NoSuchSession ? unknownSession(id) : error;
      }
    });
  }

  close(id: string): Promise<void> {
    return this.#inTurn(id, async () => {
      const session = this.get(id);
      this.#open.delete(id);
      await session.close();
    });
  }

  remove(id: string): Promise<void> {
    // Nothing of that name was ever there.
    if (!SESSION_ID.test(id)) return Promise.resolve();
    return this.#inTurn(id, async () => {
      const session = this.#open.get(id);
      this.#open.delete(id);
      await session?.close();
      await this.#options.host.remove(id);
    });
  }

  /** Nothing is opened any more. */
  async closeAll(): Promise<void> {
    this.#isClosed = true;
    const all = [...this.#open.values()];
    this.#open.clear();
    await Promise.allSettled([...all.map((session) => session.close()), ...this.#starting, ...this.#doing.values()]);
  }

  #start(wanted: WantedEditorSession, how: BeginOptions, known?: string): Promise<BegunSession> {
    const starting = this.#begin(wanted, how, known);
    this.#starting.add(starting);
    const forget = () => void this.#starting.delete(starting);
    starting.then(forget, forget);
    return starting;
  }

  async #begin(wanted: WantedEditorSession, how: BeginOptions, known?: string): Promise<BegunSession> {
    const { host, connection, capabilities, signIn } = this.#options;
    if (this.#open.size + this.#opening >= MOST_SESSIONS)
      throw new RpcError(
        ERROR_CODES.internal,
        `${MOST_SESSIONS} sessions are open already; close one with session/close`,
      );
    const problem = [wanted.cwd, ...wanted.additionalDirectories].map((path) => host.folderProblem(path)).find(Boolean);
    if (problem !== undefined) throw wrongParams(problem);
    this.#opening++;
    const opened = await host.open(wanted).finally(() => this.#opening--);
    const id = known ?? opened.session.id;
    const session: EditorSession = new EditorSession({
      id,
      cwd: wanted.cwd,
      opened,
      isResumed: known !== undefined,
      connection,
      capabilities: capabilities(),
      host,
      signIn,
      ended: () => {
        if (this.#open.get(id) === session) this.#open.delete(id);
      },
    });
    if (this.#isClosed) {
      await session.close();
      throw new RpcError(ERROR_CODES.cancelled, "The connection is gone");
    }
    this.#open.set(id, session);
    try {
      return { id, session, reply: await session.begin(how) };
    } catch (error) {
      this.#open.delete(id);
      await session.close();
      throw error;
    }
  }

  #inTurn<T>(id: string, act: () => Promise<T>): Promise<T> {
    const before = this.#doing.get(id) ?? Promise.resolve();
    const doing = before.catch(() => undefined).then(act);
    this.#doing.set(id, doing);
    const forget = () => {
      if (this.#doing.get(id) === doing) this.#doing.delete(id);
    };
    doing.then(forget, forget);
    return doing;
  }
}
