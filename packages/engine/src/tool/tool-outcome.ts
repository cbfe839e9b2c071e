// The outcome of a tool call: its answer limited in size, worded and recorded. Nothing runs here.

import {
  isText,
  printableLine,
  withoutReminderTags,
  isBlank,
  isObject,
  textOf,
  type ContentBlock,
  type HookOutcome,
  type JsonObject,
  type NewEntry,
  type PermissionDenial,
  type UserSubject,
} from "@keelson/protocol";
import { MAX_SHOWN, ONE_RESULT, persistedNotice, shareOfWindow, unsavedNotice } from "./bound.ts";
import type { Permission, Ports, Shown } from "../ports.ts";
import type { DeferredCall } from "../run/result.ts";
import type { Tool, ToolContext } from "./tool.ts";
import { reminder } from "../run/admit.ts";
import type { CallQueue, CheckedCall } from "./tool-call.ts";
import type { StreamedCall } from "../turn/turn.ts";

// Clients recognize a rejected call by this beginning (test/sessions/input-output/input.test.ts).
const DECLINED = "The user doesn't want to proceed with this tool use.";
const REJECTED = `${DECLINED} It was stopped, or did not run, because the run was stopped. Wait for the user before continuing.`;

export interface ToolOutcome {
  readonly shown: Shown;
  readonly failed: boolean;
  /** As stored and sent to clients: the tool's output, or an error text. */
  readonly result: unknown;
  readonly tool?: string;
  readonly output?: unknown;
  readonly permission?: Permission;
  readonly denial?: PermissionDenial;
  readonly interrupt?: boolean;
  readonly stop?: string;
  readonly deferred?: DeferredCall;
  /** No one refused it: an interrupt ended it, or kept it from running. */
  readonly interrupted?: true;
  /** What hooks say to it. The model reads it behind the result; clients do not get it. */
  readonly context?: readonly string[];
  /** Instructions that apply because of it, for the model alone. */
  readonly learned?: readonly string[];
  /** What the user said to it. */
  readonly byUser?: string;
  /** How long it ran, without the time that a person was waited for. Absent if it did not run. */
  readonly ranMs?: number;
  /** What the call adds to the conversation besides its result. */
  readonly follow?: readonly NewEntry[];
}

/** What the tool itself returned. */
export type ToolRunResult = Pick<ToolOutcome, "shown" | "failed" | "result" | "output">;

/** How much of a result the model sees. */
export interface ShownLimit {
  readonly ports: Pick<Ports, "model" | "spill" | "fitImage">;
  readonly allot?: CallQueue["allot"];
}

/** Limits what the model sees. The full text stays in a file it may read. */
export async function limitShown(
  tool: Tool,
  shown: Shown,
  { toolUseId: id }: ToolContext,
  { ports, allot = () => true }: ShownLimit,
): Promise<Shown> {
  const limit = Math.min(tool.maxShown ?? MAX_SHOWN, shareOfWindow(ports.model.profile, ONE_RESULT));
  const fits = (text: string) => text.length <= limit && allot(text.length);
  const save = async (text: string, name: string) => {
    const overflow = tool.overflow?.(text);
    let path: string;
    try {
      path = await ports.spill(overflow?.name ?? name, text);
    } catch (error) {
      return unsavedNotice((error as Error).message, byteLength(text), text);
    }
    return overflow ? overflow.notice(path) : persistedNotice(path, byteLength(text), text);
  };
  if (typeof shown === "string") return fits(shown) ? shown : save(shown, id);
  return Promise.all(
    (await fitted(shown, ports)).map(async (block, index): Promise<ContentBlock> => {
      const text = block.type === "text" ? (block as { text: string }).text : "";
      return fits(text) ? block : { type: "text", text: await save(text, `${id}-${index}`) };
    }),
  );
}

/** Scales the images. One after the other: several large images at once would need gigabytes. */
export async function fitted(
  blocks: readonly ContentBlock[],
  { fitImage }: Pick<Ports, "fitImage">,
): Promise<readonly ContentBlock[]> {
  if (fitImage === undefined || !blocks.some(({ type }) => type === "image")) return blocks;
  const all: ContentBlock[] = [];
  for (const block of blocks) all.push(block.type === "image" ? await fitImage(block) : block);
  return all;
}

/**
 * Replaces a tool's output with a hook's. It must have the shape the tool shows; otherwise the tool's own output stays.
 */
export async function replacedByHook(
  done: ToolRunResult,
  output: unknown,
  tool: Tool,
  context: ToolContext,
  limit: ShownLimit,
): Promise<ToolRunResult> {
  try {
    const shown = fits(output, done.output) ? tool.show(output) : undefined;
    if (typeof shown !== "string" && !Array.isArray(shown)) return done;
    return { ...done, output, result: output, shown: await limitShown(tool, shown, context, limit) };
  } catch {
    return done;
  }
}

/** The same type as the tool's own output, with values of the same type under the keys they share. */
function fits(output: unknown, own: unknown): boolean {
  if (!isObject(output) || !isObject(own))
    return typeof output === typeof own && Array.isArray(output) === Array.isArray(own);
  const shared = Object.keys(own).filter((key) => Object.hasOwn(output, key));
  return shared.length > 0 && shared.every((key) => own[key] === null || typeof output[key] === typeof own[key]);
}

export const failureOf = ({ shown }: ToolRunResult) => (typeof shown === "string" ? shown : textOf(shown));

export function denied(
  call: StreamedCall,
  tool: Tool,
  input: JsonObject,
  deny: Permission & { behavior: "deny" },
  before: HookOutcome,
) {
  const refusal = deny.interrupt
    ? { ...stopped(), shown: `${DECLINED} ${deny.message}` }
    : { ...refused(deny.message, `Error: ${deny.message}`), permission: deny };
  return {
    ...refusal,
    context: before.context,
    tool: tool.name,
    denial: { tool_name: tool.name, tool_use_id: call.block.id, tool_input: input },
    ...(deny.isUsersWord ? { byUser: deny.message } : {}),
    interrupt: deny.interrupt,
    stop: before.stop,
  };
}

/** A call that an interrupt ended, or kept from running. */
export const stopped = (): ToolOutcome => ({ ...refused(REJECTED, "User rejected tool use"), interrupted: true });

export const refused = (message: string, result: string): ToolOutcome => ({ shown: message, failed: true, result });

/** A call that could not even be attempted. */
export const invalidCall = (message: string): ToolOutcome => ({
  shown: `<tool_use_error>${message}</tool_use_error>`,
  failed: true,
  result: message.startsWith("Error: ") || message.startsWith("InputValidationError") ? message : `Error: ${message}`,
});

export function resultEntry(call: StreamedCall, outcome: ToolOutcome, uuid: string): NewEntry {
  const { failed, result, permission, interrupted, byUser, ranMs = 0 } = outcome;
  const shown = withoutTags(outcome.shown);
  // A PDF goes next to its result, not inside it (test/sessions/run/tools.test.ts).
  const documents = typeof shown === "string" ? [] : shown.filter((block) => block.type === "document");
  const content =
    typeof shown === "string" ? shown : shown.filter((block) => block.type !== "document" && !isBlank(block));
  return {
    type: "user",
    uuid,
    parentUuid: call.entryId,
    message: {
      role: "user",
      content: [{ tool_use_id: call.block.id, type: "tool_result", content, is_error: failed }, ...documents],
    },
    ...(permission ? decisionRecord(permission) : {}),
    ...(interrupted ? { toolDenialKind: "user-rejected" } : {}),
    ...(byUser === undefined ? {} : { byUser }),
    toolDurationMs: ranMs,
    sourceToolAssistantUUID: call.entryId,
    toolUseResult: result,
  };
}

/** Nothing in a result is a reminder, also if its text is split into blocks. */
function withoutTags(shown: Shown): Shown {
  if (typeof shown === "string") return withoutReminderTags(shown);
  const isSplit =
    withoutReminderTags(textOf(shown)) !== shown.map((block) => withoutReminderTags(textOf([block]))).join("");
  const inert = (text: string) => (isSplit ? text.replace(/[<\ufe64\uff1c]/g, "&lt;") : withoutReminderTags(text));
  return shown.map((block) => (isText(block) ? { ...block, text: inert(block.text) } : block));
}

/** Marks the open call for the session that resumes; it gets no made-up answer. */
export function deferralEntry(call: StreamedCall, { name, input }: DeferredCall, uuid: string): NewEntry {
  return {
    type: "attachment",
    uuid,
    parentUuid: call.entryId,
    attachment: { type: "hook_deferred_tool", toolUseID: call.block.id, toolName: name, toolInput: input },
  } as NewEntry;
}

function decisionRecord(permission: Permission): Pick<UserSubject, "permissionDecision" | "toolDenialKind"> {
  const { reasonType } = permission;
  const reason = reasonType === undefined ? {} : { reasonType };
  if (permission.behavior === "allow")
    return { permissionDecision: { decision: "accept", source: permission.source, ...reason } };
  return {
    permissionDecision: { decision: "reject", source: refuser(permission), ...reason },
    toolDenialKind: permission.unanswered ? "user-rejected" : "permission-rule",
  };
}

/** A client that failed to answer refused nothing. */
function refuser({ by, reasonType }: Permission): string {
  if (by === "hook") return "hook";
  return by === "person" && reasonType === undefined ? "user_reject" : "config";
}

/** What the model reads behind the result: instructions, and what hooks say, which there could be about any call. */
export function remindersOf(checked: CheckedCall, { context = [], learned = [] }: ToolOutcome, newId: () => string) {
  const { id: toolUseID } = checked.call.block;
  const instructions = learned.map((text) => reminder(text, newId(), { toolUseID }));
  if (context.length === 0) return instructions;
  const about = `About your call ${callTitle(checked)}:`;
  return [...instructions, reminder(context.join("\n"), newId(), { toolUseID, about })];
}

const LONGEST_TITLE = 80;

/** `Edit(src/a.ts)`: enough to know it again. */
function callTitle({ call: { block }, tool }: CheckedCall): string {
  const input: Readonly<Record<string, unknown>> = isObject(block.input) ? block.input : {};
  const text = (field: string) => (typeof input[field] === "string" ? input[field] : "");
  const said = tool?.describe?.({ text, path: text });
  const title = printableLine((typeof said === "string" ? said : said?.title) ?? "");
  const short = title.length <= LONGEST_TITLE ? title : `${title.slice(0, LONGEST_TITLE).trimEnd()}…`;
  return `${tool?.name ?? block.name}${short === "" ? "" : `(${short})`}`;
}

const byteLength = (text: string) => new TextEncoder().encode(text).length;
