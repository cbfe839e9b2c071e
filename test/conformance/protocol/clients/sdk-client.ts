// A client that goes through @keelson/sdk. No API of Bun's: it is bundled for Node, too.

import {
  createSdkMcpServer,
  query,
  tool,
  type CanUseTool,
  type HookCallbackMatcher,
  type Options,
  type SDKUserMessage,
} from "@keelson/sdk";
import { handedOut } from "../../../handed-out.ts";
import type { Book, Client, Open, Place } from "../play.ts";
import { errorIn, type Answer, type Answers, type End, type Start } from "../scenario.ts";
import { askThrough } from "./sdk-methods.ts";

export const openSdk: Open = (start, answers, place, book): Client => {
  const prompts = handedOut<SDKUserMessage>();
  const running = query({ prompt: prompts.items, options: optionsOf(start, answers, place, book) });
  const pid = running.initializationResult().then(
    (facts) => facts.pid,
    () => undefined,
  );
  return {
    say: (message) => prompts.give(message as SDKUserMessage),
    ask: (request) => askThrough(running, request),
    endInput: prompts.end,
    signal: (name) => void pid.then((id) => id !== undefined && process.kill(id, name)),
    close: () => running.close(),
    ended: readAll(running, book),
  };
};

async function readAll(messages: AsyncIterable<unknown>, book: Book): Promise<End> {
  try {
    for await (const message of messages) book.message(message);
    return {};
  } catch (error: any) {
    const { name, errorClass, message } = error;
    return { error: { name, errorClass, message } };
  }
}

function optionsOf(start: Start, answers: Answers, place: Place, book: Book): Options {
  const [program, ...words] = place.program;
  const { canUseTool, hooks = {}, servers = {} } = answers;
  let callbacks = 0;
  return {
    ...(start as Options),
    pathToKeelsonExecutable: program!,
    executableArgs: words,
    cwd: place.project,
    env: place.env,
    ...(canUseTool === undefined ? {} : { canUseTool: asker(book) }),
    hooks: Object.fromEntries(
      Object.entries(hooks).map(([event, list]) => [
        event,
        list.map(({ outputs: _, ...matcher }, at): HookCallbackMatcher => {
          const callback_id = `hook_${callbacks++}`;
          const callback = async (input: unknown, tool_use_id: string | undefined) => {
            book.asked({ subtype: "hook_callback", callback_id, input, tool_use_id });
            return given(book.hook(event, at));
          };
          return { ...matcher, hooks: [callback] };
        }),
      ]),
    ),
    mcpServers: Object.fromEntries(
      Object.entries(servers).map(([name, { tools, instructions }]) => [
        name,
        createSdkMcpServer({
          name,
          ...(instructions === undefined ? {} : { instructions }),
          tools: tools.map(({ name: called, description, inputSchema, gives }) =>
            tool(called, description, inputSchema as Record<string, never>, async (input) => {
              book.called(`${name}.${called}`, input);
              return given(gives);
            }),
          ),
        }),
      ]),
    ),
  };
}

/** Names on the wire of what a permission callback is told beside the call. */
const TOLD: Readonly<Record<string, string>> = {
  suggestions: "permission_suggestions",
  blockedPath: "blocked_path",
  decisionReason: "decision_reason",
  toolUseID: "tool_use_id",
  displayName: "display_name",
  description: "description",
  title: "title",
  agentID: "agent_id",
  mcpServer: "mcp_server",
};

const asker =
  (book: Book): CanUseTool =>
  async (tool_name, input, context) => {
    const told = Object.entries(TOLD).flatMap(([name, wire]) =>
      name in context ? [[wire, context[name as keyof typeof context]]] : [],
    );
    book.asked({ subtype: "can_use_tool", tool_name, input, ...Object.fromEntries(told) });
    return given(book.canUseTool());
  };

function given(answer: Answer): Promise<any> {
  if (answer === "silent") return new Promise(() => {});
  const error = errorIn(answer);
  return error === undefined ? Promise.resolve(answer) : Promise.reject(new Error(error));
}
