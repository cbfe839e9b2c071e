// One prompt to its result: ask the model, settle the tool calls, repeat. No I/O of its own.

import type { NewEntry, PermissionDenial, PermissionMode, PromptMessage } from "@keelson/protocol";
import { admit, nudge } from "./admit.ts";
import { settleAll } from "./batch.ts";
import type { Conversation } from "./conversation.ts";
import { apiErrorEntry, endingAfter, interruption, SUM_UP } from "./ending.ts";
import { ModelError } from "./errors.ts";
import { Patience } from "./patience.ts";
import type { Limits, Ports } from "./ports.ts";
import { buildRequest, requestParts } from "./request.ts";
import { addUsage, type End, type Ending } from "./result.ts";
import { ask } from "./turn.ts";

/** Without a prompt, what waits at the door (`steering`) is what the run starts from. */
export async function run(
  prompt: PromptMessage | undefined,
  mode: PermissionMode,
  conversation: Conversation,
  ports: Ports,
  limits: Limits,
): Promise<End> {
  const denials: PermissionDenial[] = [];
  const patience = new Patience(limits);
  let usage = addUsage();
  let lines = 0; // user lines since the prompt: what `num_turns` counts (observed)

  const add = async (...entries: NewEntry[]) => {
    if (entries.length > 0) await ports.record(entries); // durable, then shown
    for (const entry of entries) conversation.add(entry);
    lines += entries.length;
  };
  const end = (ending: Ending): End => ({ stopReason: null, ...ending, numTurns: 1 + lines, usage, denials });

  const { entries, blocked } = prompt ? await admit(prompt, mode, ports) : { entries: [] };
  if (blocked !== undefined) return { ...end({ reason: "hook_stopped", text: blocked }), numTurns: 0 };
  await add(...ports.steering(), ...entries);
  if (prompt?.shouldQuery === false) return { ...end({ reason: "completed", text: "" }), numTurns: 0 };
  lines = 0;

  const parts = requestParts(ports.model, ports.system, ports.tools);
  const request = async (options?: { forbidTools: boolean }) => {
    const reply = await ask(buildRequest(parts, conversation.messages, options), conversation, ports);
    usage = addUsage(usage, reply.usage);
    return reply;
  };

  try {
    for (let turns = 1; ; turns++) {
      const reply = await request();
      const broke = limits.maxBudgetUsd !== undefined && (ports.spent() ?? Infinity) >= limits.maxBudgetUsd;
      const settled = await settleAll(reply.calls, broke ? refusingAll(ports) : ports);
      for (const { entry, denial } of settled) {
        conversation.add(entry);
        lines++;
        if (denial && !broke) denials.push(denial);
      }

      const ending = endingAfter(reply, settled, { broke, aborted: ports.signal.aborted });
      if (ending?.reason === "aborted_tools") await add(interruption("tools", ports.newId()));
      if (ending) return end(ending);

      const typed = ports.steering();
      await add(...typed);
      const more = settled.length > 0 || typed.length > 0;
      const next = patience.after(reply, settled, more);
      if (next.ending) return end(next.ending);
      if (next.nudge !== undefined) await add(nudge(next.nudge, ports.newId()));
      else if (!more && !next.again) {
        const stop = await ports.fire("Stop", {});
        if (stop.verdict !== "deny")
          return end({ reason: "completed", text: reply.text, stopReason: reply.stopReason });
        await add(nudge(`Stop hook feedback:\n${stop.reasons.join("\n")}`, ports.newId()));
      }

      if (turns === limits.maxTurns) {
        const spent = { reason: "max_turns", text: reply.text, stopReason: reply.stopReason, maxTurns: turns } as const;
        if (!limits.summarizeOnMaxTurns) return end(spent);
        await add(nudge(SUM_UP, ports.newId()));
        return end({ ...spent, summary: (await request({ forbidTools: true })).text });
      }
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (error.kind === "aborted") {
      await add(interruption("streaming", ports.newId()));
      return end({ reason: "aborted_streaming", text: "" });
    }
    const failure = apiErrorEntry(error, ports.newId());
    await ports.record([failure]);
    const reason = error.kind === "prompt_too_long" ? "prompt_too_long" : "api_error";
    return end({ reason, text: failure.message.content[0]!.text, apiError: error, stopReason: "stop_sequence" });
  }
}

/** The budget is spent: calls still get their answer, but none is carried out. */
function refusingAll(ports: Ports): Ports {
  const message = "The call was not carried out: the budget of this run is used up.";
  return { ...ports, permit: async () => ({ behavior: "deny", by: "other", message }) };
}
