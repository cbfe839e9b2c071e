// A real session in the test's own process, for any number of clients, against a mock model.

import { load, type Flags } from "@keelson/config";
import type {
  AttachOptions,
  ControlRequest,
  Inbound,
  JsonObject,
  Outbound,
  Session,
  SessionClient,
} from "@keelson/protocol";
import { SessionDirectory, type WantedSession } from "@keelson/runtime";
import type { TemporaryHome } from "@keelson/testkit";
import { join } from "node:path";

export interface OpenHereOptions {
  readonly home: TemporaryHome;
  readonly url: string;
  readonly flags?: Flags;
  readonly env?: Readonly<Record<string, string>>;
  readonly session?: WantedSession["session"];
  /** A folder of the project to work in. */
  readonly folder?: string;
  /** With the other sessions of a process. */
  readonly directory?: SessionDirectory;
}

export function openHere({
  home,
  url,
  flags = {},
  env = {},
  session,
  folder = "",
  directory,
}: OpenHereOptions): Promise<Session> {
  const all = {
    ...home.env,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "test-key",
    CLAUDE_CODE_TMPDIR: join(home.root, "tmp"),
    ...env,
  };
  const place = { cwd: join(home.project, folder), home: home.home, managedDir: join(home.root, "managed") };
  return (directory ?? new SessionDirectory()).open({
    front: "stream",
    snapshot: load({ ...place, env: all, platform: process.platform, flags }),
    entrypoint: "sdk-cli",
    session: session ?? { kind: "new", persist: true },
    answers: { permissions: true, requests: true },
    warn: () => undefined,
  });
}

/** A client that reads when it is told to, and keeps what it got. */
export class TestClient {
  readonly client: SessionClient;
  readonly got: Outbound[] = [];
  /** Where the client was in the stream behind each of them. */
  readonly positions: number[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #messages: AsyncIterator<Outbound>;
  #isReading = false;
  /** Its messages are over. */
  isOver = false;

  constructor(session: Session, options: AttachOptions = {}, { reads = true } = {}) {
    this.client = session.attach(options);
    this.#messages = this.client.messages[Symbol.asyncIterator]();
    if (reads) this.read();
  }

  /** Reads all there is and will be. */
  read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    void this.#readAll();
  }

  /** Reads so many messages, at most those that are there. */
  async take(count: number): Promise<void> {
    for (let taken = 0; taken < count && !this.isOver; taken++) this.#keep(await this.#messages.next());
  }

  send(input: Inbound): void {
    this.client.send(input);
  }

  prompt(content: string, uuid: string = crypto.randomUUID()): string {
    this.send({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, uuid });
    return uuid;
  }

  request(request_id: string, subtype: string, fields: object = {}): void {
    this.send({ type: "control_request", request_id, request: { subtype, ...fields } as ControlRequest["request"] });
  }

  answer(request_id: string, response: JsonObject): void {
    this.send({ type: "control_response", response: { subtype: "success", request_id, response } });
  }

  /** Resolves with the first message like this, also if it has come. */
  async first<Found extends Outbound>(isLike: (message: Outbound) => message is Found): Promise<Found>;
  async first(isLike: (message: Outbound) => boolean): Promise<any>;
  async first(isLike: (message: Outbound) => boolean): Promise<unknown> {
    for (let from = 0; ;) {
      for (; from < this.got.length; from++) if (isLike(this.got[from]!)) return this.got[from];
      await this.more();
    }
  }

  /** Resolves when there is another message. */
  async more(): Promise<void> {
    if (this.isOver) throw new Error(`It ended first, with ${JSON.stringify(this.got.map(shortly))}`);
    await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  reply(id: string): Promise<any> {
    return this.first(({ type, response }: any) => type === "control_response" && response.request_id === id);
  }

  result(number = 1): Promise<any> {
    let seen = 0;
    return this.first((message) => message.type === "result" && ++seen === number);
  }

  /** How many messages of this type it got. */
  count(type: string): number {
    return this.got.filter((message) => message.type === type).length;
  }

  async #readAll(): Promise<void> {
    while (!this.isOver) this.#keep(await this.#messages.next());
  }

  #keep({ done, value }: IteratorResult<Outbound>): void {
    if (done === true) this.isOver = true;
    else {
      this.got.push(value);
      this.positions.push(Number(this.client.cursor.split(".")[1]));
    }
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

const shortly = (message: Outbound) => `${message.type} ${"subtype" in message ? message.subtype : ""}`.trim();

export const isQuestion = (message: Outbound): message is ControlRequest =>
  message.type === "control_request" && message.request.subtype === "can_use_tool";

export const isStream = (subtype: string) => (message: Outbound) =>
  message.type === "stream" && message.subtype === subtype;
