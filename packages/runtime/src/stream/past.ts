// The conversation of a session, read from its transcript as the messages clients would have seen. Branches that the
// conversation went back from are left out. Nothing is read before a client asks for it, and then in parts.

import {
  isJoinedPrompt,
  isPrompt,
  project,
  projectPrompt,
  type ChainEntry,
  type Message,
  type ReplyTo,
} from "@keelson/protocol";
import { PagedHistory } from "@keelson/store/history";

/** Where the entries of a conversation are is known for so long after someone asked. */
const KEPT_MS = 30_000;

export interface SaidSoFar {
  /** The id of the oldest message, if there are older ones; otherwise null. */
  readonly before: string | null;
  readonly messages: AsyncIterable<Message>;
}

/** The first bytes of a transcript. */
export interface TranscriptPart {
  readonly path: string;
  readonly until: number;
}

export interface MessageQuery {
  /** The id of a message. Absent: the end. */
  readonly before?: string;
  readonly limit: number;
}

export class SessionPast {
  readonly #named: (message: Message) => Message;
  #history: { readonly path: string; readonly paged: PagedHistory<Message> } | undefined;
  #forget: NodeJS.Timeout | undefined;

  /** `named` adds what calls are called. */
  constructor(named: (message: Message) => Message) {
    this.#named = named;
  }

  /** The newest messages, so many or all of them. Each is read when it is asked for. */
  async newest({ path, until }: TranscriptPart, most: number | "all"): Promise<SaidSoFar> {
    const history = this.#of(path);
    if (most === "all") return { before: null, messages: history.all(until) };
    const page = await history.page({ limit: most, until });
    return { before: page?.before ?? null, messages: page?.shown ?? none() };
  }

  /** Empty without a transcript. Rejects if no message has the id `before`. */
  async page(part: TranscriptPart | undefined, query: MessageQuery): Promise<ReplyTo<"get_messages">> {
    const { path, until = 0 } = part ?? {};
    const page = path === undefined ? undefined : await this.#of(path).page({ ...query, until, maxBytes: PAGE_BYTES });
    if (page) return { messages: await Array.fromAsync(page.shown), before: page.before };
    if (query.before === undefined) return { messages: [], before: null };
    throw new Error(`No message of the conversation has the id "${query.before}"`);
  }

  #of(path: string): PagedHistory<Message> {
    clearTimeout(this.#forget);
    this.#forget = setTimeout(() => (this.#history = undefined), KEPT_MS);
    this.#forget.unref();
    if (this.#history?.path !== path) {
      const show = (entry: ChainEntry) => {
        const message = isPrompt(entry) || isJoinedPrompt(entry) ? projectPrompt(entry) : project(entry);
        return message && this.#named(message);
      };
      const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
      this.#history = { path, paged: new PagedHistory({ path, show, pause }) };
    }
    return this.#history.paged;
  }
}

/** Of a session that is not open here: what its calls are called is not known, and a client guesses it. */
export const storedMessages = (part: TranscriptPart, query: MessageQuery) =>
  new SessionPast((message) => message).page(part, query);

/** The lines of one page have at most so many bytes together, unless it is one line. */
const PAGE_BYTES = 4 * 1024 * 1024;

// oxlint-disable-next-line require-yield
async function* none(): AsyncGenerator<Message> {}
