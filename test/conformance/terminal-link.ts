// A client that is the terminal's link to its session, spoken to as any other: what is sent goes through its methods, and what
// it passes on is what comes back. Left out is what only its view asks for, and what follows from the ids that it gives to
// every prompt.

import { RequestError } from "@keelson/client";
import {
  type AttachOptions,
  type ClientView,
  type ControlSubtype,
  type Inbound,
  type JsonObject,
  type Outbound,
  type Session,
  type SessionClient,
} from "@keelson/protocol";
import { withoutToolMeta } from "../../packages/runtime/src/stream/tool-use-meta.ts";
import { SessionLink } from "../../packages/tui/src/app/session/session-link.ts";
import { MadeUpIds } from "./made-up-ids.ts";

/** Answers questions as `how` says, and shows what its view would show. */
export function throughLink(session: Session, { view = {}, ...how }: AttachOptions): SessionClient {
  const shown = queue<Outbound>();
  const ids = new MadeUpIds();
  let attached: SessionClient | undefined;
  const link = new SessionLink(
    {
      get id() {
        return session.id;
      },
      attach: (options) => paced((attached = session.attach({ ...how, ...options }))),
      close: (reason) => session.close(reason),
    },
    {
      message(message) {
        const seen = isFor(view, message) ? ids.without(withoutToolMeta(message)) : undefined;
        if (seen !== undefined) shown.push(seen);
      },
      question: (request) => shown.push(withoutToolMeta(request)),
      withdrawn: (request_id) => shown.push({ type: "control_cancel_request", request_id }),
      unshown: (error) => shown.end(error as Error),
      ended: (error) => shown.end(error),
    },
    { replay: how.replay === true },
  );
  const taken = new Map<string, AbortController>();

  const ask = async (request_id: string, { subtype, ...fields }: JsonObject) => {
    const back = new AbortController();
    taken.set(request_id, back);
    try {
      const response = await link.request(subtype as ControlSubtype, fields as never, back.signal);
      const body = { subtype: "success", request_id, ...(response === undefined ? {} : { response }) };
      shown.push({ type: "control_response", response: body } as Outbound);
    } catch (error) {
      if (back.signal.aborted) return;
      if (!(error instanceof RequestError)) return shown.end(error as Error);
      const { message, code, isMissing } = error;
      const more = { ...(code === undefined ? {} : { error_code: code }), ...(isMissing ? { missing: true } : {}) };
      const response = { subtype: "error", request_id, error: message, ...more };
      shown.push({ type: "control_response", response } as Outbound);
    }
  };

  return {
    id: "terminal",
    messages: shown,
    get cursor() {
      return attached!.cursor;
    },
    detach: () => attached!.detach(),
    send(input: Inbound) {
      switch (input.type) {
        case "user": {
          const { message, type: _, ...more } = input;
          const uuid = link.prompt(message.content, more);
          if (input.uuid === undefined) ids.add(uuid);
          return;
        }
        case "control_request":
          return void ask(input.request_id, input.request as JsonObject);
        case "control_response": {
          const { request_id: id, ...reply } = input.response;
          if (reply.subtype === "error") return link.refuse(id, reply.error);
          return link.answer(id, (reply.response ?? {}) as JsonObject);
        }
        case "control_cancel_request":
          return taken.get(input.request_id)?.abort();
        default:
          throw new Error(`The terminal sends no ${input.type}`);
      }
    },
  };
}

/** Whoever waits for a reply has it before the next message comes. */
function paced(client: SessionClient): SessionClient {
  const messages = async function* () {
    for await (const message of client.messages) {
      yield message;
      if (message.type === "control_response") await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return {
    id: client.id,
    get cursor() {
      return client.cursor;
    },
    send: (input) => client.send(input),
    detach: () => client.detach(),
    messages: messages(),
  };
}

/** Whether a client with this view would have got it. */
function isFor(view: ClientView, message: any): boolean {
  const { type, subtype, message: said } = message;
  if (type === "stream_event") return view.partial === true;
  if (type === "tool_running") return view.liveCalls === true;
  if (type === "system" && subtype === "status" && message.status === "requesting") return view.partial === true;
  if (type === "system" && /^hook_(?:started|progress|response)$/.test(subtype))
    return /^(?:SessionStart|Setup)$/.test(message.hook_event) || view.hookEvents === true;
  if (type === "user" && message.isReplay === true) return view.replayPrompts === true;
  if (type !== "assistant" || message.agent_id === undefined || view.agentText === true) return true;
  return said.content.some((block: { type: string }) => block.type === "tool_use");
}

/** Messages that wait to be read. */
function queue<T>() {
  const waiting: T[] = [];
  let over: { readonly error?: Error | undefined } | undefined;
  let changed = Promise.withResolvers<void>();
  const change = () => {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  };
  return {
    push(item: T) {
      waiting.push(item);
      change();
    },
    end(error?: Error) {
      over ??= { error };
      change();
    },
    async *[Symbol.asyncIterator](): AsyncGenerator<T> {
      for (;;) {
        while (waiting.length > 0) yield waiting.shift()!;
        if (over?.error) throw over.error;
        if (over) return;
        await changed.promise;
      }
    },
  };
}
