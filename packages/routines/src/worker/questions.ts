// Questions of a run: which of them a person has answered already, and when the run can wait for the others without a process.

import { createHash } from "node:crypto";
import { blocksOf, controlSuccess, isToolResult, isToolUse } from "@keelson/protocol";
import type { RunQuestion } from "../records/run.ts";
import type { NewQuestion } from "../store/run-store.ts";

type Message = Readonly<Record<string, unknown>>;
type Request = Readonly<Record<string, unknown>>;

export interface RunQuestions {
  /** Takes notice of every message. Returns what to answer at once, if a person has answered the same before. */
  see(message: Message): object | undefined;
  /** Resolves when questions are open and nothing else is going on, or has been for too long. */
  wanted(): Promise<{ readonly isQuiet: boolean }>;
  open(): readonly NewQuestion[];
  /** The answers to open questions, as messages. False: one of them is missing. */
  settle(answered: readonly RunQuestion[]): readonly object[] | undefined;
  stop(): void;
}

export interface QuestionOptions {
  readonly runId: string;
  readonly answered: readonly RunQuestion[];
  /** Calls that have a result: what was asked about them is over. */
  readonly answeredCalls: ReadonlySet<string>;
  readonly expiresInMs: number;
  /** How long nothing may happen before a run counts as waiting, and how long it may go on beside an open question. */
  readonly quietMs: number;
  readonly patienceMs: number;
  redact(text: string): string;
}

const ASKING = new Set(["can_use_tool", "elicitation"]);

export function runQuestions(options: QuestionOptions): RunQuestions {
  const { runId, answeredCalls, expiresInMs, quietMs, patienceMs } = options;
  const usable = options.answered.filter(({ request }) => !answeredCalls.has(String(request["tool_use_id"])));
  /** By the id of the request: as people see it, and as it came. */
  const open = new Map<string, { readonly id: string; readonly request: Request; readonly asSent: Request }>();
  const counts = new Map<string, number>();
  for (const { request } of options.answered) counts.set(sameness(request), (counts.get(sameness(request)) ?? 0) + 1);
  /** Calls without a result, and the call of the agent that makes them. */
  const calls = new Map<string, string | null>();
  let waiting: ((value: { readonly isQuiet: boolean }) => void) | undefined;
  let quiet: ReturnType<typeof setTimeout> | undefined;
  let patience: ReturnType<typeof setTimeout> | undefined;

  const isBlocked = () => {
    const blocked = new Set<string>();
    for (const { request } of open.values()) {
      for (let id: string | null | undefined = String(request["tool_use_id"]); id; id = calls.get(id)) blocked.add(id);
    }
    return [...calls.keys()].every((id) => blocked.has(id));
  };
  const arm = () => {
    clearTimeout(quiet);
    if (open.size === 0) {
      clearTimeout(patience);
      patience = undefined;
      return;
    }
    if (waiting === undefined) return;
    const done = waiting;
    patience ??= setTimeout(() => done({ isQuiet: false }), patienceMs);
    if (isBlocked()) quiet = setTimeout(() => done({ isQuiet: true }), quietMs);
  };
  const follow = (message: Message) => {
    const content = (message["message"] as { content?: unknown } | undefined)?.content;
    const parent = typeof message["parent_tool_use_id"] === "string" ? message["parent_tool_use_id"] : null;
    for (const block of blocksOf((content ?? []) as Parameters<typeof blocksOf>[0])) {
      if (isToolUse(block)) calls.set(block.id, parent);
      if (isToolResult(block)) calls.delete(block.tool_use_id);
    }
  };

  return {
    see(message) {
      const { type } = message;
      if (type === "assistant" || type === "user") follow(message);
      if (type === "control_cancel_request") open.delete(String(message["request_id"]));
      const asSent = message["request"] as Request | undefined;
      if (type === "control_request" && asSent !== undefined && ASKING.has(String(asSent["subtype"]))) {
        const request = JSON.parse(options.redact(JSON.stringify(asSent))) as Request;
        const key = sameness(request);
        const before = usable.findIndex((each) => sameness(each.request) === key);
        if (before >= 0) {
          const [{ request: asked, answer }] = usable.splice(before, 1) as [RunQuestion];
          return controlSuccess(String(message["request_id"]), replyTo(asSent, asked, answer));
        }
        const count = counts.get(key) ?? 0;
        counts.set(key, count + 1);
        const id = `ask_${createHash("sha256")
          .update(JSON.stringify([runId, key, count]))
          .digest("hex")
          .slice(0, 32)}`;
        open.set(String(message["request_id"]), { id, request, asSent });
      }
      arm();
      return undefined;
    },
    wanted() {
      return new Promise((resolve) => {
        waiting = (value) => {
          waiting = undefined;
          clearTimeout(quiet);
          clearTimeout(patience);
          patience = undefined;
          resolve(value);
        };
        arm();
      });
    },
    open: () => [...open.values()].map(({ id, request }) => ({ id, request, expiresInMs })),
    settle(answered) {
      const replies: object[] = [];
      for (const [requestId, { id, request, asSent }] of open) {
        const found = answered.find((each) => each.id === id);
        if (found === undefined || found.answeredAt === null) return undefined;
        replies.push(controlSuccess(requestId, replyTo(asSent, request, found.answer)));
      }
      open.clear();
      return replies;
    },
    stop() {
      clearTimeout(quiet);
      clearTimeout(patience);
    },
  };
}

/** What makes two questions the same: the call and what it reaches, not when it is made. */
function sameness(request: Request): string {
  const { subtype, tool_name, input, mcp_server_name, message, blocked_path } = request;
  const leavesSandbox = request["decision_reason_type"] === "sandboxOverride";
  const reach = blocked_path === undefined && !leavesSandbox ? [] : [blocked_path ?? null, leavesSandbox];
  return JSON.stringify([subtype, tool_name, mcp_server_name, message, ordered(input), ...reach]);
}

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, ordered(inner)]),
  );
}

function replyTo(asSent: Request, shown: Request, answer: RunQuestion["answer"]): object {
  if (answer === null) {
    if (asSent["subtype"] === "elicitation") return { action: "decline" };
    return { behavior: "deny", message: "Nobody answered in time, so the answer is no" };
  }
  // The whole run would end otherwise, and with it the outcome.
  if (answer["behavior"] === "deny") return { ...answer, interrupt: false };
  if (answer["behavior"] !== "allow") return answer;
  const { updatedInput } = answer;
  const isUnchanged =
    updatedInput === undefined || JSON.stringify(ordered(updatedInput)) === JSON.stringify(ordered(shown["input"]));
  // What people saw has no secrets in it; what runs is what was asked about. Rules that were accepted here hold for this run only.
  return { behavior: "allow", updatedInput: isUnchanged ? asSent["input"] : updatedInput };
}
