// Hook events that begin a session (Setup, SessionStart), and what their outcomes mean. The engine fires the events of a
// run.

import type { HookEvent, HookOutcome, JsonObject } from "@keelson/protocol";

export type FireSessionEvent = (event: HookEvent, input: JsonObject) => Promise<HookOutcome>;

export interface SessionStartFacts {
  readonly source: "startup" | "resume" | "fork" | "clear" | "compact";
  readonly model: string;
  readonly title?: string;
  /** Set by --init or --maintenance: runs Setup hooks first. */
  readonly setup?: "init" | "maintenance" | undefined;
}

/** Context for the model and, if a hook set one, the first prompt. */
export interface StartHookResult {
  readonly context: readonly string[];
  readonly initialUserMessage?: string;
}

export async function fireSessionStart(
  fire: FireSessionEvent,
  { source, model, title, setup }: SessionStartFacts,
): Promise<StartHookResult> {
  const prepared = setup ? (await fire("Setup", { trigger: setup })).context : [];
  const outcome = await fire("SessionStart", {
    source,
    model,
    ...(title === undefined ? {} : { session_title: title }),
  });
  const first = outcome.fields?.["initialUserMessage"];
  return {
    context: [...prepared, ...outcome.context],
    ...(typeof first === "string" && first !== "" ? { initialUserMessage: first } : {}),
  };
}
