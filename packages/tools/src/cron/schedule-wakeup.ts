// ScheduleWakeup: the next round of a loop that the model paces itself.

import { boolean, defineTool, number, object, optional, string, ToolError, type Tool } from "@keelson/engine";
import description from "./schedule-wakeup.md" with { type: "text" };
import type { ScheduleKeeper } from "./schedule-keeper.ts";

const SHORTEST = 60;
const LONGEST = 3_600;

interface ScheduleWakeupInput {
  readonly delaySeconds?: number;
  readonly reason?: string;
  readonly prompt?: string;
  readonly stop?: boolean;
  readonly noop?: boolean;
}

interface ScheduleWakeupOutput {
  /** Milliseconds since 1970; 0 if nothing is scheduled. */
  readonly scheduledFor: number;
  readonly clampedDelaySeconds: number;
  readonly wasClamped: boolean;
  readonly stopped?: boolean;
  /** Of the wake-up while it waits. */
  readonly taskId?: string;
}

export function scheduleWakeupTool(keeper: ScheduleKeeper): Tool<ScheduleWakeupInput, ScheduleWakeupOutput> {
  return defineTool<ScheduleWakeupInput, ScheduleWakeupOutput>({
    name: "ScheduleWakeup",
    description,
    input: object({
      delaySeconds: optional(number("Seconds until then: 60 to 3600")),
      reason: optional(string("What you are waiting for, in one line")),
      prompt: optional(string("The prompt that wakes you", { maxLength: 100_000 })),
      stop: optional(boolean("End the loop instead")),
      noop: optional(boolean("This round found nothing to do")),
    }),

    check({ delaySeconds, prompt, stop }) {
      if (stop === true) return;
      for (const [name, value] of Object.entries({ delaySeconds, prompt: prompt || undefined })) {
        if (value !== undefined) continue;
        throw new ToolError(
          `InputValidationError: ScheduleWakeup failed due to the following issue:\nThe required parameter \`${name}\` is missing`,
        );
      }
    },
    describe: (input) => `in ${input.text("delaySeconds")}s, ${input.text("reason")}`,
    access: ({ stop }) => ({ kind: "none", ...(stop === true ? {} : { makes: "job" }) }),

    async run({ delaySeconds = SHORTEST, prompt = "", reason = "", stop }, { toolUseId }) {
      if (stop === true) {
        await keeper.cancelWake();
        return { ...NOTHING, stopped: true };
      }
      const clampedDelaySeconds = Math.min(LONGEST, Math.max(SHORTEST, Math.round(delaySeconds)));
      const waiting = await keeper.wake({ delayMs: clampedDelaySeconds * 1_000, prompt, reason, toolUseId });
      if (waiting === undefined) return NOTHING;
      const wasClamped = clampedDelaySeconds !== Math.round(delaySeconds);
      return { scheduledFor: waiting.at, clampedDelaySeconds, wasClamped, taskId: waiting.id };
    },

    show({ scheduledFor, clampedDelaySeconds, wasClamped, stopped, taskId }) {
      if (stopped) return "The loop has ended. Nothing is scheduled.";
      if (scheduledFor === 0) {
        return "Wakeup not scheduled. This session ends with its input, so nothing would be left to wake up. Finish now, or tell the user what is left to do.";
      }
      const limited = wasClamped ? ` (the delay is limited to ${SHORTEST} to ${LONGEST} seconds)` : "";
      return `Wakeup scheduled in ${clampedDelaySeconds} seconds${limited}, as task ${taskId}. End your turn now.`;
    },
  });
}

const NOTHING: ScheduleWakeupOutput = { scheduledFor: 0, clampedDelaySeconds: 0, wasClamped: false };
