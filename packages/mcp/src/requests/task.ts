// A call that the server runs as a task (2025-11-25): it answers with an id, and has the result when the task is over.

import { isObject, type JsonObject } from "@keelson/protocol";
import { pause, requestWithInput, type AskOptions } from "./ask.ts";
import type { Client } from "../connection/client.ts";
import { McpError, TIMED_OUT } from "../connection/rpc.ts";

const SHORTEST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const USUAL_PAUSE_MS = 1_000;
/** While the task needs something from the user, the server asks for it with the request for the result. */
const ENDED: readonly unknown[] = ["completed", "failed", "cancelled", "input_required"];

/** Like `requestWithInput` for `tools/call`. The time limit is for the whole task. */
export async function callAsTask(
  client: Client,
  params: (id: number) => JsonObject,
  options: AskOptions,
): Promise<unknown> {
  const until = performance.now() + options.timeoutMs;
  const started = await requestWithInput(client, "tools/call", (id) => ({ ...params(id), task: {} }), options);
  let task = taskIn(started);
  // The server may have answered at once.
  if (!task) return started;
  const about = { taskId: task.id };
  const ask = (method: string) => {
    const timeoutMs = until - performance.now();
    if (timeoutMs <= 0) throw new McpError(TIMED_OUT, "Request timed out");
    return requestWithInput(client, method, () => about, { ...options, timeoutMs });
  };
  try {
    while (!ENDED.includes(task.status)) {
      await pause(Math.min(Math.max(task.pauseMs, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS), options.signal);
      const answer = await ask("tasks/get");
      task = taskIn({ task: answer }) ?? { ...task, status: "failed" };
    }
    return await ask("tasks/result");
  } catch (error) {
    // The server need not answer: no one waits for the task any more.
    const limit = { timeoutMs: LONGEST_PAUSE_MS, signal: new AbortController().signal };
    client.request("tasks/cancel", about, limit).catch(() => undefined);
    throw error;
  }
}

function taskIn(
  result: unknown,
): { readonly id: string; readonly status: unknown; readonly pauseMs: number } | undefined {
  const task = isObject(result) ? result["task"] : undefined;
  if (!isObject(task) || typeof task["taskId"] !== "string") return undefined;
  const { taskId, status, pollInterval } = task;
  return { id: taskId as string, status, pauseMs: typeof pollInterval === "number" ? pollInterval : USUAL_PAUSE_MS };
}
