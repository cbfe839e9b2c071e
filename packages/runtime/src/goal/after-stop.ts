// When the model is done and hooks agree, the goal of the session decides: while it does not hold, the model goes back to
// work. Loaded when a session with a goal comes to an end of its work.

import type { HookEvent, HookOutcome } from "@keelson/protocol";
import type { Storage } from "../session/storage.ts";
import type { ConditionAnswer } from "../hooks/handlers/condition.ts";
import { judgeGoal } from "./judge.ts";
import type { Goal } from "./goal.ts";

/** What follows from what hooks said about the event, and from the goal. */
export async function withGoal(
  event: HookEvent,
  said: HookOutcome,
  storage: Storage,
  signal: AbortSignal,
): Promise<HookOutcome> {
  const { state } = storage;
  const { goal } = state;
  if (!goal) return said;
  if (event === "StopFailure") {
    state.goal = undefined;
    await show(storage, "warning", `The goal is cleared because the request failed: ${goal.condition}`);
    return said;
  }
  // A hook that ends the run, or sends the model back itself, comes first.
  if (said.stop !== undefined || said.verdict === "deny") return said;
  // Agents still work on it, or a prompt waits: the run that follows is checked.
  if (storage.inbox.isFollowed) return said;
  const judged = await judgeGoal(goal, storage, signal);
  if (signal.aborted || state.goal !== goal) return said;
  if ("problem" in judged) {
    await show(
      storage,
      "warning",
      `The goal could not be checked: ${judged.problem}. It stays; the next prompt checks it`,
    );
    return said;
  }
  return settled(judged.answer, goal, said, storage);
}

async function settled(
  { ok, reason, impossible }: ConditionAnswer,
  goal: Goal,
  said: HookOutcome,
  storage: Storage,
): Promise<HookOutcome> {
  const because = reason === "" ? "" : `: ${reason}`;
  if (ok || impossible) {
    storage.state.goal = undefined;
    await show(
      storage,
      ok ? "info" : "warning",
      `${ok ? "Goal met" : "Goal given up, since it cannot be met"}${because}`,
    );
    return said;
  }
  storage.state.goal = { ...goal, checks: goal.checks + 1, reason };
  await show(storage, "info", `Goal not met yet${because}`);
  const text = `The goal of this session does not hold yet${because}\nContinue until it holds: ${goal.condition}`;
  return { ...said, verdict: "deny", reasons: [text] };
}

const show = ({ outbox }: Storage, level: "info" | "warning", content: string) =>
  outbox.show({ type: "system", subtype: "informational", level, content });
