// What a server announces on its own: changed lists, log messages, and that the user is done at a URL.

import type { JsonObject } from "@keelson/protocol";
import { asJson } from "../tools/content.ts";
import type { ListKind } from "./handshake.ts";
import { plainLine, plainText } from "../plain-text.ts";

export interface LogMessage {
  readonly level: string;
  readonly logger?: string;
  readonly text: string;
}

interface NoticeListener {
  onListChanged(kind: ListKind): void;
  onLog(message: LogMessage): void;
  onElicitationComplete(elicitationId: string): void;
}

export interface Notices {
  receive(method: string, params: JsonObject): void;
  /** Resolves when the server says that the user is done with this elicitation; perhaps never. */
  completed(elicitationId: string): Promise<void>;
}

const MAX_LOG_LENGTH = 10_000;
const MAX_WAITING = 50;
/** Each in a minute; more are dropped. */
const MAX_LOGS = 1_000;
const MAX_COMPLETED = 100;
const MAX_ID_LENGTH = 200;
const MINUTE_MS = 60_000;

export function createNotices(listener: NoticeListener): Notices {
  const waiting = new Map<string, () => void>();
  const mayLog = limitRate(MAX_LOGS, MINUTE_MS);
  const mayComplete = limitRate(MAX_COMPLETED, MINUTE_MS);
  return {
    receive(method, params) {
      const changed = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method)?.[1];
      if (changed) listener.onListChanged(changed as ListKind);
      else if (method === "notifications/message") {
        if (mayLog()) listener.onLog(readLog(params));
      } else if (method === "notifications/elicitation/complete") {
        const { elicitationId: id } = params;
        if (typeof id !== "string" || id.length > MAX_ID_LENGTH) return;
        waiting.get(id)?.();
        waiting.delete(id);
        if (mayComplete()) listener.onElicitationComplete(id);
      }
    },
    completed(elicitationId) {
      const { promise, resolve } = Promise.withResolvers<void>();
      for (const oldest of waiting.keys()) if (waiting.size >= MAX_WAITING) waiting.delete(oldest);
      waiting.set(elicitationId, resolve);
      return promise;
    },
  };
}

function readLog({ level, logger, data }: JsonObject): LogMessage {
  return {
    level: typeof level === "string" ? plainLine(level, 20) : "info",
    ...(typeof logger === "string" ? { logger: plainLine(logger, 100) } : {}),
    text: plainText(typeof data === "string" ? data : asJson(data), MAX_LOG_LENGTH),
  };
}

function limitRate(max: number, periodMs: number): () => boolean {
  let start = -Infinity;
  let count = 0;
  return () => {
    const now = performance.now();
    if (now - start > periodMs) [start, count] = [now, 0];
    return ++count <= max;
  };
}
