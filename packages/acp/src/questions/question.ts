// A question to an editor, and how its answer is read. Some questions of a session take several of the editor's.

import { isObject } from "@keelson/protocol";
import type {
  ClientCapabilities,
  FormRequest,
  PermissionOption,
  PermissionRequest,
  ToolCallFields,
} from "../schema/types.ts";

export interface QuestionContext {
  readonly sessionId: string;
  readonly cwd: string;
  readonly capabilities: ClientCapabilities;
  /** A call as the editor knows it (`Updates.shown`). */
  shown?(callId: string): ToolCallFields | undefined;
  /** For what an editor addresses by an id of its own. */
  newId(): string;
}

/** What the session gets, or what the editor is asked next. */
export type QuestionStep = { readonly reply: Readonly<Record<string, unknown>> } | { readonly ask: EditorQuestion };

export type EditorQuestion = (
  | { readonly method: "session/request_permission"; readonly params: PermissionRequest }
  | { readonly method: "elicitation/create"; readonly params: FormRequest }
) & {
  /** `result`: what the editor answered; undefined for an error, a cancel, a closed connection. */
  answer(result: unknown): QuestionStep;
};

/** Asks for one of the options. `chosen` gets none for everything that is not one of them. */
export function choiceQuestion(
  params: PermissionRequest,
  chosen: (option: PermissionOption | undefined) => QuestionStep,
): EditorQuestion {
  return {
    method: "session/request_permission",
    params,
    answer(result) {
      const outcome = isObject(result) && isObject(result["outcome"]) ? result["outcome"] : {};
      const id = outcome["outcome"] === "selected" ? outcome["optionId"] : undefined;
      return chosen(params.options.find(({ optionId }) => optionId === id));
    },
  };
}
