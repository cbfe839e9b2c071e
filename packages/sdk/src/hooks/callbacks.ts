// The caller's hook callbacks. Each gets an id, and the program decides whether and when to call it.

import { isObject, type HookEvent, type Unchecked } from "@keelson/protocol";
import type { RequestContext } from "../control/control-request.ts";
import type { HookInput } from "./inputs.ts";
import type { HookJSONOutput } from "./outputs.ts";

export type HookCallback = (
  input: HookInput,
  toolUseID: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookJSONOutput>;

export interface HookCallbackMatcher {
  /** What the event's subject must match: a tool name, a source, a reason. Matches everything if absent. */
  matcher?: string;
  hooks: HookCallback[];
  /** Seconds. */
  timeout?: number;
  /** What to do when a callback throws or takes too long: continue, or block. */
  onFailure?: "continue" | "block";
}

export type HookCallbacks = Partial<Record<HookEvent, HookCallbackMatcher[]>>;

/** Hooks as `initialize` announces them to the program. */
export type AnnouncedHooks = Record<
  string,
  { matcher?: string; hookCallbackIds: string[]; timeout?: number; onFailure?: "continue" | "block" }[]
>;

export interface RegisteredHooks {
  /** Undefined if there are none. */
  readonly announced: AnnouncedHooks | undefined;
  /** At least one of them blocks on failure, which the program must support. */
  readonly needOnFailure: boolean;
  call(request: Unchecked<"hook_callback">, asked: RequestContext): Promise<unknown>;
}

export function registerHooks(hooks: HookCallbacks = {}): RegisteredHooks {
  const functions = new Map<string, HookCallback>();
  const announced: AnnouncedHooks = {};
  let needOnFailure = false;

  for (const [event, matchers = []] of Object.entries(hooks)) {
    if (matchers.length === 0) continue;
    announced[event] = matchers.map(({ matcher, hooks: callbacks, timeout, onFailure }) => {
      needOnFailure ||= onFailure === "block";
      const hookCallbackIds = callbacks.map((callback) => {
        const id = `hook_${functions.size}`;
        functions.set(id, callback);
        return id;
      });
      return {
        ...(matcher === undefined ? {} : { matcher }),
        hookCallbackIds,
        ...(timeout === undefined ? {} : { timeout }),
        ...(onFailure === undefined ? {} : { onFailure }),
      };
    });
  }

  return {
    announced: functions.size === 0 ? undefined : announced,
    needOnFailure,
    async call(request, { signal }) {
      const id = String(request.callback_id);
      const callback = functions.get(id);
      if (callback === undefined) throw new Error(`No hook callback found for ID: ${id}`);
      const toolUseId = request.tool_use_id;
      const output = await callback(request.input as HookInput, typeof toolUseId === "string" ? toolUseId : undefined, {
        signal,
      });
      return isObject(output) ? output : {};
    },
  };
}
