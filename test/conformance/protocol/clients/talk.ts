// What a client that sends and gets bare messages does with them: it notes them down and answers as the row says. It
// checks nothing, and does not know how messages travel.

import type { Book } from "../play.ts";
import { errorIn, type Answer, type Answers, type Request } from "../scenario.ts";

export interface Talk {
  take(message: any): void;
  ask(request: Request): Promise<object | undefined>;
  /** Asks with an id of its own, and does not count. */
  askAs(id: string, request: object): Promise<object | undefined>;
  /** No more replies come. */
  end(): void;
}

export function talk(answers: Answers, book: Book, send: (message: object) => void): Talk {
  const waiting = new Map<string, (reply: object | undefined) => void>();
  let count = 0;
  const askAs = (id: string, request: object) =>
    new Promise<object | undefined>((resolve) => {
      waiting.set(id, resolve);
      send({ type: "control_request", request_id: id, request });
    });
  const settle = ({ request_id: id, ...reply }: any) => {
    book.replied(id);
    waiting.get(id)?.(reply);
    waiting.delete(id);
  };
  return {
    askAs,
    ask: (request) => askAs(`${request.subtype} ${++count}`, request),
    take(message) {
      if (message.type === "control_response") return settle(message.response);
      if (message.type === "control_cancel_request") return book.message(message);
      if (message.type === "control_request") {
        const answer = answerTo(message, answers, book);
        if (answer === "silent") return;
        const error = errorIn(answer);
        const body = error === undefined ? { subtype: "success", response: answer } : { subtype: "error", error };
        return send({ type: "control_response", response: { ...body, request_id: message.request_id } });
      }
      if (message.sdk_host_only !== true && message.type !== "keep_alive") book.message(message);
    },
    end() {
      // Whoever still waits will wait for ever.
      for (const give of waiting.values()) give(undefined);
    },
  };
}

function answerTo({ request_id: id, request }: any, answers: Answers, book: Book): Answer {
  if (request.subtype !== "mcp_message") book.asked(request, id);
  switch (request.subtype) {
    case "can_use_tool":
      return book.canUseTool();
    case "hook_callback": {
      const [event, at] = Object.entries(answers.hooks ?? {}).flatMap(([name, list]) =>
        list.map((_, index) => [name, index] as const),
      )[Number(request.callback_id.slice("hook_".length))]!;
      return book.hook(event, at);
    }
    case "mcp_message":
      return serve(request, answers, book);
    default:
      return { throws: `Unsupported control request subtype: ${request.subtype}` };
  }
}

/** A server of the client, as small as can be. */
function serve({ server_name: name, message }: any, { servers = {} }: Answers, book: Book): Answer {
  const server = servers[name];
  if (server === undefined) return { throws: `SDK MCP server not found: ${name}` };
  const { id, method, params } = message;
  book.asked({ subtype: "mcp_message", server_name: name, message });
  if (id === undefined) return { mcp_response: { jsonrpc: "2.0", result: {}, id: 0 } };
  const reply = (body: object): Answer => ({ mcp_response: { jsonrpc: "2.0", id, ...body } });
  if (method === "initialize") {
    return reply({
      result: {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name, version: "1.0.0" },
        ...(server.instructions === undefined ? {} : { instructions: server.instructions }),
      },
    });
  }
  if (method === "tools/list")
    return reply({ result: { tools: server.tools.map(({ gives: _, ...listed }) => listed) } });
  const tool = server.tools.find((each) => each.name === params?.name);
  if (method !== "tools/call" || tool === undefined)
    return reply({ error: { code: -32601, message: "Method not found" } });
  book.called(`${name}.${tool.name}`, params.arguments);
  const { gives } = tool;
  if (gives === "silent") return gives;
  const error = errorIn(gives);
  return reply({ result: error === undefined ? gives : { content: [{ type: "text", text: error }], isError: true } });
}
