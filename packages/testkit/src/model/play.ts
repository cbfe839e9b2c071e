// Plays one step of a script: which events are sent, where it waits, and how it ends. The in-process model and the HTTP
// one both use this, so neither decides about timing.

import type { StreamEvent } from "@keelson/protocol";
import { eventsBefore, type ScriptedReply, type Timing } from "./reply.ts";

export type Beat =
  | { readonly kind: "event"; readonly event: StreamEvent }
  | { readonly kind: "error"; readonly type: string; readonly message: string }
  /** The connection breaks. */
  | { readonly kind: "cut"; readonly after: number };

/** The beats of a reply, each when it is due. Rejects with the signal's reason if that is aborted. */
export async function* play(
  reply: ScriptedReply,
  events: readonly StreamEvent[],
  signal: AbortSignal,
): AsyncGenerator<Beat> {
  const end = reply.cutAfter === undefined ? events.length : eventsBefore(reply.cutAfter, events);
  const held = reply.holdAfter === undefined ? undefined : eventsBefore(reply.holdAfter, events);
  const failed = reply.errorAfter && eventsBefore(reply.errorAfter.after, events);

  await untilDue(reply, signal);
  for (let at = 0; ; at++) {
    signal.throwIfAborted();
    if (at === held && reply.hold) await settled(reply.hold, signal);
    if (at === failed) {
      const { type, message = "Scripted error" } = reply.errorAfter!;
      yield { kind: "error", type, message };
      return;
    }
    if (at === end) break;
    yield { kind: "event", event: events[at]! };
  }
  if (reply.cutAfter === undefined) return;
  if (reply.hang) await aborted(signal);
  yield { kind: "cut", after: end };
}

/** Waits before the first event as long as the step says; if it hangs, until the signal aborts. */
export async function untilDue(timing: Timing & { readonly cutAfter?: unknown }, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (timing.waitMs) await settled(Bun.sleep(timing.waitMs), signal);
  if (timing.hold && timing.holdAfter === undefined) await settled(timing.hold, signal);
  if (timing.hang && timing.cutAfter === undefined) await aborted(signal);
}

/** Waits for the signal, and rejects with its reason. */
export async function aborted(signal: AbortSignal): Promise<never> {
  await settled(new Promise(() => {}), signal);
  throw signal.reason;
}

async function settled(promise: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  try {
    await Promise.race([promise, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
