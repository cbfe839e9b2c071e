// Runs one prompt to its result: ask the model, settle the tool calls, repeat. Does no I/O itself.

import type { NewEntry, PermissionDenial, PermissionMode, PromptMessage } from "@keelson/protocol";
import { admit, nudge, type Admission } from "./admit.ts";
import { Batch } from "../tool/batch.ts";
import { Room } from "../compaction/room.ts";
import type { Conversation } from "../turn/conversation.ts";
import {
  apiErrorEntry,
  endingAfter,
  failureEntry,
  interruptionEntry,
  refusalEntry,
  SUMMARY_PROMPT,
  type RunFailure,
} from "./ending.ts";
import { ModelError } from "../errors.ts";
import { ReplyRecovery } from "../turn/reply-recovery.ts";
import type { Limits, Ports } from "../ports.ts";
import { buildRequest, partsOfRun } from "../turn/request.ts";
import { addUsage, type End, type Ending } from "./result.ts";
import { afterBatch, StopHooks } from "./stop-hooks.ts";
import type { SettledCall } from "../tool/tool-call.ts";
import { requestReply, type ModelReply } from "../turn/turn.ts";

/** Without a prompt, the run starts from queued input (`steering`). */
export async function run(
  prompt: PromptMessage | undefined,
  mode: PermissionMode,
  conversation: Conversation,
  ports: Ports,
  limits: Limits,
): Promise<End> {
  const denials: PermissionDenial[] = [];
  const recovery = new ReplyRecovery(limits);
  const stopping = new StopHooks();
  let usage = addUsage();
  let firstAt: number | undefined;
  let stopReason: string | null = null; // of the last whole reply
  let lines = 0; // user lines since the prompt: what `num_turns` counts (test/conformance/protocol/cases/messages.ts)

  const add = async (...entries: NewEntry[]) => {
    if (entries.length > 0) await ports.record(entries); // durable, then shown
    for (const entry of entries) conversation.add(entry);
    lines += entries.filter(({ type }) => type === "user").length;
  };
  /** Adds results of calls, which are already recorded. */
  const take = (settled: readonly SettledCall[]) => {
    for (const { entry, follow = [], denial } of settled) {
      for (const each of [entry, ...follow]) conversation.add(each);
      if (denial) denials.push(denial);
    }
  };
  const end = (ending: Ending): End => ({ stopReason: null, ...ending, numTurns: 1 + lines, usage, denials, firstAt });

  const isBroke = () => limits.maxBudgetUsd !== undefined && (ports.spent() ?? Infinity) >= limits.maxBudgetUsd;

  const { entries, after, blocked, answer, answered }: Admission = prompt
    ? await admit(prompt, mode, ports)
    : { entries: [] };
  await ports.admitted();
  if (answered) {
    await ports.record(entries);
    return { ...end({ reason: "completed", text: answered.text }), numTurns: 0, localCommand: answered.command };
  }
  if (blocked !== undefined) return { ...end({ reason: "hook_stopped", text: blocked }), numTurns: 0 };
  const deferred = new Batch(ports, isBroke);
  for (const call of conversation.takeDeferred()) deferred.start(call);
  const resumed = await deferred.settled();
  take(resumed);
  await add(...ports.steering(), ...entries);
  if (after) await add(...(await after()));
  if (after && ports.signal.aborted) await add(interruptionEntry("tools", ports.newId()));
  const stopped = endingAfter(NOTHING_YET, resumed, { broke: false, aborted: ports.signal.aborted });
  if (stopped?.reason === "aborted_tools" && resumed.length === 0 && !after) {
    // The model was not asked.
    await add(interruptionEntry("streaming", ports.newId()));
    return end({ ...stopped, reason: "aborted_streaming" });
  }
  if (stopped) return end(stopped);
  if (answer !== undefined) return { ...end({ reason: "completed", text: answer }), numTurns: 0 };
  if (prompt?.shouldQuery === false) return { ...end({ reason: "completed", text: "" }), numTurns: 0 };
  lines = 0;

  const parts = partsOfRun(ports);
  const room = new Room(conversation, ports);
  /** One request. Calls run while the reply is still arriving; when this resolves, each has its answer. */
  const takeTurn = async (options?: { forbidTools: boolean }) => {
    const batch = new Batch(ports, isBroke);
    if (options?.forbidTools) batch.halt("The call did not run: no turns are left.");
    await conversation.repair();
    await ports.toolsReady?.();
    const request = buildRequest(parts(), conversation.messages, options);
    const [asked] = await Promise.allSettled([requestReply(request, conversation, ports, batch)]);
    const settled = await batch.settled();
    take(settled);
    lines += settled.flatMap(({ follow = [] }) => follow.filter(({ type }) => type === "user")).length + settled.length;
    if (asked.status === "rejected") throw asked.reason;
    usage = addUsage(usage, asked.value.usage);
    firstAt ??= asked.value.firstAt;
    ({ stopReason } = asked.value);
    return { reply: asked.value, settled };
  };

  /** Once more after a compaction, if the server found the request too long. */
  const takeFittingTurn = async () => {
    try {
      return await takeTurn();
    } catch (error) {
      if (!(await room.recovers(error, parts))) throw error;
      return await takeTurn();
    }
  };

  /** The run ends because no reply of the model is of use. */
  const failed = async (failure: RunFailure, stopReason: string | null): Promise<Ending> => {
    await ports.record([failureEntry(failure, ports.newId())]);
    await ports.fire("StopFailure", { error: failure.error, error_details: failure.text });
    return { reason: "api_error", text: failure.text, stopReason };
  };

  try {
    for (let turns = 1; ; turns++) {
      const full = await room.make(parts);
      if (full) return end(full);
      const { reply, settled } = await takeFittingTurn();
      room.replied();
      if (reply.text !== "") fireMessageDisplay(reply, ports);

      const ending = endingAfter(reply, settled, { broke: isBroke(), aborted: ports.signal.aborted });
      if (ending?.reason === "aborted_tools") await add(interruptionEntry("tools", ports.newId()));
      if (ending) return end(ending);
      if (settled.length > 0) {
        stopping.working();
        const batch = await afterBatch(reply.calls, settled, ports);
        await add(...batch.entries);
        if (batch.ending) return end({ stopReason: reply.stopReason, ...batch.ending });
      }

      // Behind an answer, what came meanwhile is for the next run, unless a hook lets this one go on.
      const more = settled.length > 0;
      if (more) await add(...ports.steering());
      const next = recovery.after(reply, settled, { more, isLast: turns === limits.maxTurns });
      if (next.ending) return end(next.ending);
      if (next.failure) {
        const refused = entries.findLast(({ type }) => type === "user")?.uuid;
        if (reply.stopReason === "refusal") await ports.record([refusalEntry(reply, refused, ports.newId())]);
        return end(await failed({ ...next.failure, requestId: reply.requestId }, reply.stopReason));
      }
      if (next.again && reply.cut) {
        turns--; // nothing was said
        continue;
      }
      if (settled.length > 0 && turns !== limits.maxTurns && ports.queue?.next()) {
        const { joinQueued } = await import("./join.ts"); // most runs are left alone
        await joinQueued(ports, add);
      }
      if (next.nudge !== undefined) await add(nudge(next.nudge, ports.newId()));
      else if (!more && !next.again) {
        const stop = await stopping.after(reply, ports);
        const goesOn = !stop.ending && turns !== limits.maxTurns;
        await add(...(goesOn ? ports.steering() : []), ...stop.entries);
        if (stop.ending) return end(stop.ending);
      }

      if (turns === limits.maxTurns) {
        const spent = { reason: "max_turns", text: reply.text, stopReason: reply.stopReason, maxTurns: turns } as const;
        if (!limits.summarizeOnMaxTurns) return end(spent);
        await add(nudge(SUMMARY_PROMPT, ports.newId()));
        return end({ ...spent, summary: (await takeTurn({ forbidTools: true })).reply.text });
      }
    }
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    if (error.kind === "aborted") {
      await add(interruptionEntry("streaming", ports.newId()));
      return end({ reason: "aborted_streaming", text: "", stopReason });
    }
    if (error.kind === "budget_exhausted") return end({ reason: "budget_exhausted", text: "" });
    const failure = apiErrorEntry(error, ports.newId());
    await ports.record([failure]);
    await ports.fire("StopFailure", { error: failure.error, error_details: error.message });
    const reason = error.kind === "prompt_too_long" ? "prompt_too_long" : "api_error";
    return end({ reason, text: failure.message.content[0]!.text, apiError: error, stopReason: "stop_sequence" });
  }
}

/** Not awaited: the text is already on its way to the screen. */
function fireMessageDisplay({ text, messageId }: ModelReply, ports: Ports): void {
  const about = { turn_id: ports.newId(), message_id: messageId, index: 0, final: true, delta: text };
  void ports.fire("MessageDisplay", about);
}

const NOTHING_YET = { text: "", stopReason: null };
