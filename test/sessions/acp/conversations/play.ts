// Plays a conversation through an agent, ours or the adapter, and reads what the editor was shown.

import { normaliser, startMockModel, temporaryHome, type ScriptStep, type TemporaryHome } from "@keelson/testkit";
import type { JsonObject } from "@keelson/protocol";
import { besideTitles } from "../adapter.ts";
import type { Editor, EditorOptions } from "../editor.ts";
import { readShown, type Shown } from "./shown.ts";

export interface Conversation {
  readonly name: string;
  /** Called once for each agent. */
  readonly plan: (home: TemporaryHome) => ConversationPlan;
}

export interface ConversationPlan {
  readonly says: readonly ScriptStep<JsonObject>[];
  readonly talk: (talk: Talk) => Promise<void>;
  /** What the user answers, one after the other; the last one counts for all that follow. */
  readonly answers?: readonly Answer[];
  readonly servers?: readonly object[];
}

/** The kind of the option that is chosen, or what to do with any request. */
export type Answer =
  "allow_once" | "allow_always" | "reject_once" | "cancelled" | ((request: any) => object | undefined);

export interface Talk {
  readonly editor: Editor;
  readonly sessionId: string;
  /** Resolves with the reply. */
  say(prompt: string | readonly object[]): Promise<any>;
  stop(): void;
  /** Resolves when the session has shown this, or has asked. */
  until(holds: (update: any) => boolean): Promise<unknown>;
  untilAsked(): Promise<unknown>;
}

type Start = (options: Pick<EditorOptions, "home" | "url" | "capabilities" | "answer">) => Promise<Editor>;

export interface Played {
  readonly live: readonly Shown[];
  /** After it was closed. */
  readonly loaded: readonly Shown[];
}

/** What every editor of these conversations can do. */
const CAPABILITIES = { elicitation: { form: {} } };

export async function playConversation({ plan }: Conversation, start: Start): Promise<Played> {
  using home = temporaryHome();
  const { says, talk, answers = ["allow_once"], servers = [] } = plan(home);
  await using model = await startMockModel(besideTitles(says));
  const left = [...answers];
  const answer = (request: any) => answerTo(request, (left.length > 1 ? left.shift() : left[0])!);
  const options = { home, url: model.url, capabilities: CAPABILITIES, answer };
  await using editor = await start(options);
  const { sessionId } = await editor.open({ mcpServers: servers });
  const isTold = (message: any) => message.method === "session/update" && message.params.sessionId === sessionId;
  await talk({
    editor,
    sessionId,
    say: (prompt) =>
      typeof prompt === "string"
        ? editor.prompt(sessionId, prompt)
        : editor.request("session/prompt", { sessionId, prompt }),
    stop: () => editor.notify("session/cancel", { sessionId }),
    until: (holds) => editor.until((message) => isTold(message) && holds(message.params.update)),
    untilAsked: () => editor.until(({ method }) => method === "session/request_permission"),
  });
  await editor.request("session/close", { sessionId });
  const { length: closed } = editor.messages;
  await editor.request("session/load", { sessionId, cwd: home.project, mcpServers: servers });
  await editor.end();
  const clean = normaliser({ home });
  return {
    live: clean(readShown(editor.messages.slice(0, closed))),
    // The adapter tells the commands some time after its reply.
    loaded: clean(readShown(editor.messages.slice(closed))).filter(({ kind }) => kind !== "commands"),
  };
}

function answerTo({ method, params }: any, answer: Answer): object | undefined {
  if (typeof answer === "function") return answer({ method, params });
  if (method === "elicitation/create") return { action: "decline" };
  const option = params.options.find(({ kind }: any) => kind === answer);
  if (option === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}
