// The life of one tool call, and the only way a tool runs: find, check the input, PreToolUse, gate, run, PostToolUse,
// limit the output. Whatever happens, it ends in a `tool_result`.

import {
  isObject,
  NOTHING_SAID,
  type JsonObject,
  type NewEntry,
  type PermissionDenial,
  type ToolUseBlock,
} from "@keelson/protocol";
import { ToolError } from "../errors.ts";
import { findTool } from "./pool.ts";
import type { Permission, Ports } from "../ports.ts";
import type { DeferredCall } from "../run/result.ts";
import type { Tool, ToolContext } from "./tool.ts";
import {
  limitShown,
  deferralEntry,
  denied,
  ENDED,
  failureOf,
  invalidCall,
  refused,
  remindersOf,
  replacedByHook,
  resultEntry,
  stopped,
} from "./tool-outcome.lazy.ts";
import type { ShownLimit, ToolRunResult, ToolOutcome } from "./tool-outcome.ts";
import type { StreamedCall } from "../turn/turn.ts";
import type * as CallName from "./repair/call-name.ts";
import type * as InputNames from "./repair/input-names.ts";
import type * as Validate from "../schema/validate.ts";

/** How a call ended. Its entry is already recorded. */
export interface SettledCall {
  readonly entry: NewEntry;
  /** What it added after its result: reminders, and what the tool added. */
  readonly follow?: readonly NewEntry[];
  /** What hooks say to it. */
  readonly context?: readonly string[];
  readonly tool?: string;
  /** The tool's own output; absent if it did not run or failed. */
  readonly output?: unknown;
  readonly failed: boolean;
  readonly denial?: PermissionDenial;
  /** Who let it run, or refused it. */
  readonly permission?: Permission;
  /** Whoever denied it wants the run to end. */
  readonly interrupt?: boolean;
  /** Why a hook wants the run to end. */
  readonly stop?: string;
  /** A hook deferred the call: it has no answer until the session is resumed. */
  readonly deferred?: DeferredCall;
}

/** A call whose input was checked before anything else uses it. Without a tool, `outcome` says what is wrong. */
export type CheckedCall =
  | { readonly call: StreamedCall; readonly tool: Tool; readonly input: JsonObject }
  | { readonly call: StreamedCall; readonly tool?: undefined; readonly outcome: ToolOutcome };

/** What a call needs to know about the other calls in its reply. */
export interface CallQueue {
  /** The answer for calls that have not started; undefined while calls may run. */
  halted(): ToolOutcome | undefined;
  /** Aborted when a call ended the run. */
  readonly ended: AbortSignal;
  /** Whether a result of so many characters still fits among those of the other calls. If it does, its room is taken. */
  allot?(characters: number): boolean;
  /** The hooks of this call let it pass. Resolves when the hooks of every earlier call have answered too. */
  pass(): Promise<void>;
}

/** Never throws, whatever the model sent. */
export function checkCall(
  call: StreamedCall,
  {
    tools,
    deferredTools,
    acceptedTools,
    allTools,
    toolAlias,
    whyMissing,
  }: Pick<Ports, "tools" | "deferredTools" | "acceptedTools" | "allTools" | "toolAlias" | "whyMissing">,
): CheckedCall {
  const name = toolAlias?.(call.block.name) ?? call.block.name;
  const tool = callableTool(name, { tools, deferredTools, acceptedTools });
  if (!tool) {
    const why = whyMissing?.(name);
    const note = why === undefined ? notOfferedNote(name, allTools) || insteadNote(name) : `. ${why}`;
    return { call, outcome: invalidCall(`Error: No such tool available: ${name}${note}`) };
  }
  if (call.checked?.tool === tool) return { call, ...call.checked };
  try {
    const checked = readInput(call, tool);
    if (checked.ok) return { call, tool, input: checked.input };
    const isDeferred = !tools().includes(tool) && (deferredTools?.() ?? []).includes(tool);
    const message = isDeferred ? `${checked.message}\n\n${schemaNote(tool)}` : checked.message;
    return { call, outcome: { ...invalidCall(message), tool: tool.name } };
  } catch (error) {
    return {
      call,
      outcome: { ...invalidCall(`InputValidationError: ${unexpectedFailure(name, error)}`), tool: tool.name },
    };
  }
}

type CallableTools = Pick<Ports, "tools" | "deferredTools" | "acceptedTools">;

function callableTool(name: string, { tools, deferredTools, acceptedTools }: CallableTools): Tool | undefined {
  // Nearly always it is in the first list, and the last one takes long to make.
  const lists = [tools, () => deferredTools?.() ?? [], () => acceptedTools?.() ?? []];
  for (const list of lists) {
    const tool = findTool(list(), name);
    if (tool) return tool;
  }
  for (const list of lists) {
    const tool = repairNames().toolMeant(list(), name);
    if (tool) return tool;
  }
  return undefined;
}

/** Loaded for a name that no tool has. */
const repairNames = () => require("./repair/call-name.ts") as typeof CallName;

/** The name under which a call is recorded and shown: that of its tool, if the model wrote it in another way. */
export function recordedName(name: string, ports: CallableTools & Pick<Ports, "toolAlias" | "whyMissing">): string {
  const wanted = ports.toolAlias?.(name) ?? name;
  const tool = callableTool(wanted, ports);
  if (!tool || wanted !== name || tool.name === name || tool.aliases?.includes(name)) return name;
  return tool.name;
}

/**
 * The call as it is recorded and shown: with the input that the tool will get, apart from defaults. Clients see what
 * happens, not how a model spelled it. An input that is not valid stays as it is.
 */
export function repairedCall(
  block: ToolUseBlock,
  ports: CallableTools & Pick<Ports, "toolAlias">,
): Pick<StreamedCall, "block" | "checked"> {
  const tool = callableTool(ports.toolAlias?.(block.name) ?? block.name, ports);
  if (!tool || !isObject(block.input)) return { block };
  const given = block.input as JsonObject;
  try {
    const repaired = repairInput(tool, given);
    const keys = Object.keys(repaired);
    const result = validateRepaired(tool, repaired);
    if (!result.ok) return { block };
    const checked = { tool, input: result.input };
    const isSame =
      keys.length === Object.keys(given).length && keys.every((key) => isSameValue(result.input[key], given[key]));
    if (isSame) return { block, checked };
    return { block: { ...block, input: Object.fromEntries(keys.map((key) => [key, result.input[key]])) }, checked };
  } catch {
    // The same failure answers the call.
    return { block };
  }
}

/** Most inputs need no repair, and their values are short or the same objects. */
const isSameValue = (one: unknown, other: unknown) =>
  one === other || (typeof one === "object" && JSON.stringify(one) === JSON.stringify(other));

export async function settleCall(checked: CheckedCall, ports: Ports, line: CallQueue): Promise<SettledCall> {
  const { call } = checked;
  const outcome = await answerCall(checked, ports, line);
  const entry = outcome.deferred
    ? deferralEntry(call, outcome.deferred, ports.newId())
    : resultEntry(call, outcome, ports.newId());
  // Behind the result, never in it: what is in a result is data.
  const follow = [...remindersOf(checked, outcome, ports.newId), ...(outcome.follow ?? [])];
  await ports.record([entry, ...follow]);
  return { entry, ...outcome, follow };
}

/** Even an unexpected failure gives the call an answer: the conversation must stay well formed. */
async function answerCall(checked: CheckedCall, ports: Ports, line: CallQueue): Promise<ToolOutcome> {
  try {
    return line.halted() ?? (checked.tool ? await attempt(checked, ports, line) : checked.outcome);
  } catch (error) {
    if (ports.signal.aborted) return stopped();
    const message = unexpectedFailure(checked.call.block.name, error);
    return refused(message, `Error: ${message}`);
  }
}

const unexpectedFailure = (tool: string, error: unknown) =>
  `${tool} failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`;

async function attempt(
  { call, tool, input: asked }: Extract<CheckedCall, { tool: Tool }>,
  ports: Ports,
  line: CallQueue,
): Promise<ToolOutcome> {
  const { block } = call;
  const follow: NewEntry[] = [];
  const context: ToolContext = {
    ...ports.context(block),
    window: ports.model.profile.contextWindow,
    follow: (entry) => void follow.push(entry),
  };
  const given = complete(asked, tool);
  try {
    await tool.check?.(given, context);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return { ...invalidCall(error.message), tool: tool.name };
  }

  const names = { tool_name: tool.name, tool_use_id: block.id };
  const before = await ports.fire("PreToolUse", { ...names, tool_input: given });
  const validated: Checked =
    before.input === undefined ? { ok: true, input: given } : validateInput(tool, before.input);
  if (!validated.ok) return { ...invalidCall(validated.message), tool: tool.name };
  const rewritten = before.input === undefined ? validated : { ...validated, input: complete(validated.input, tool) };
  const { input } = rewritten;
  if (before.verdict === "defer") {
    return { ...refused("", ""), tool: tool.name, deferred: { id: block.id, name: tool.name, input } };
  }
  // A hook that ends the run before a call does not want the call to run.
  if (before.stop !== undefined && before.verdict !== "deny") {
    return { ...refused(ENDED, `Error: ${ENDED}`), tool: tool.name, stop: before.stop };
  }
  if (before.stop === undefined) await line.pass();
  const halted = line.halted();
  if (halted) return { ...halted, tool: tool.name };

  const access = await tool.access(input, context);
  const preview = () => tool.preview?.(input, context);
  const request = { call: block, tool, input, access, hook: before, preview };
  const permission = await ports.permit(request, line.ended);
  if (permission.behavior === "deny") {
    // If the question was withdrawn, no one refused the call.
    const ended = line.ended.aborted ? line.halted() : undefined;
    if (ended) return { ...ended, tool: tool.name };
    const outcome = denied(call, tool, input, permission, before);
    // An interrupt withdrew the question: the user did not want the call.
    const interrupted = ports.signal.aborted && permission.by === "person";
    return interrupted ? { ...outcome, permission: undefined, ...stopped() } : outcome;
  }
  const agreed = permission.input === input ? rewritten : validateInput(tool, permission.input);
  if (!agreed.ok) return { ...invalidCall(agreed.message), tool: tool.name };
  const settledAccess = agreed === rewritten ? access : await tool.access(agreed.input, context);
  if (agreed !== rewritten) {
    // Approving a different input settles that input, but deny rules apply no matter who approved.
    const message = await ports.forbids({ ...request, input: agreed.input, access: settledAccess, hook: NOTHING_SAID });
    if (message !== undefined)
      return denied(call, tool, agreed.input, { behavior: "deny", by: "rule", message }, before);
  }

  const late = line.halted();
  if (late) return { ...late, tool: tool.name };
  const limit = { ports, allot: line.allot };
  const endTime = beginTime(ports, block.id);
  let duration_ms = 0;
  let done: ToolRunResult;
  try {
    done = await run(tool, agreed.input, context, limit);
  } finally {
    duration_ms = Math.round(endTime());
  }
  const about = { ...names, tool_input: agreed.input };
  const isCut = ports.signal.aborted && (done.failed || isInterrupted(done.output));
  const after =
    done.failed || isCut
      ? await ports.fire("PostToolUseFailure", {
          ...about,
          error: failureOf(done),
          is_interrupt: ports.signal.aborted,
          duration_ms,
        })
      : await ports.fire("PostToolUse", { ...about, tool_response: done.result as JsonObject, duration_ms });
  if (isCut) return { ...stopped(), tool: tool.name, ranMs: duration_ms };
  const final = after.output === undefined ? done : await replacedByHook(done, after.output, tool, context, limit);
  const learned = done.failed ? [] : ports.instructionsFor(settledAccess);
  return {
    ...final,
    learned,
    context: [...before.context, ...after.reasons, ...after.context],
    tool: tool.name,
    permission,
    ranMs: duration_ms,
    ...(permission.isUsersWord && !done.failed && tool.answer ? { byUser: tool.answer(done.output) } : {}),
    stop: after.stop,
    ...(done.failed || follow.length === 0 ? {} : { follow }),
  };
}

/** Waiting for permission is not part of it, and neither is a wait for a person while it runs. */
function beginTime(ports: Ports, id: string): () => number {
  const started = ports.now();
  return ports.timeCall?.(id) ?? (() => ports.now() - started);
}

const complete = (input: JsonObject, tool: Tool): JsonObject => tool.complete?.(input) ?? input;

/** A command says so itself. */
const isInterrupted = (output: unknown) => isObject(output) && output["interrupted"] === true;

/** Clients match the text up to "context" (test/sessions/run/tools.test.ts). */
function notOfferedNote(name: string, allTools: readonly Tool[] = []): string {
  return findTool(allTools, name)
    ? `. ${name} exists but is not enabled in this context. Use the tools that are available.`
    : "";
}

/** What a tool of another agent is here. */
function insteadNote(name: string): string {
  const instead = repairNames().insteadOf(name);
  return instead === undefined ? "" : `. ${instead}`;
}

/** The model has not seen the schema of a deferred tool. */
const schemaNote = ({ name, input }: Tool) =>
  `The schema of ${name} was not sent to you, because ToolSearch had not loaded it. It is: ${JSON.stringify(input.json)}`;

type Checked = { readonly ok: true; readonly input: JsonObject } | { readonly ok: false; readonly message: string };

function readInput(call: StreamedCall, tool: Tool): Checked {
  if (call.broken !== undefined) {
    return {
      ok: false,
      message: `InputValidationError: ${tool.name} was called with an input that ${call.broken}. Call it again with a complete JSON object: ${shapeOf(tool.input.json)}`,
    };
  }
  return validateInput(tool, call.block.input);
}

/** The fields that a call must have. */
function shapeOf({ properties = {}, required = [] }: JsonObject): string {
  const sampleOf = (field: unknown) => {
    const type = isObject(field) ? field.type : undefined;
    return type === "array" ? [] : type === "object" ? {} : type === "number" || type === "integer" ? 1 : "…";
  };
  const fields = (required as readonly string[]).map((key) => [key, sampleOf((properties as JsonObject)[key])]);
  return JSON.stringify(Object.fromEntries(fields));
}

let inputNames: typeof InputNames | undefined;
/** Only calls with a field that the tool does not know need it. */
const names = () => (inputNames ??= require("./repair/input-names.ts") as typeof InputNames);

function repairInput(
  { repair, invalid, dropsUnknown, input }: Tool,
  sent: Record<string, unknown>,
): Record<string, unknown> {
  // What checks its input itself has a schema of others: names in it are theirs.
  const given = invalid || hasKnownNames(input.json, sent) ? sent : names().withKnownNames(input.json, sent);
  const repaired = repair?.({ ...given }) ?? given;
  if (!dropsUnknown) return repaired;
  const known = input.json["properties"] as object;
  return Object.fromEntries(Object.entries(repaired).filter(([key]) => Object.hasOwn(known, key)));
}

function hasKnownNames({ properties }: JsonObject, given: Record<string, unknown>): boolean {
  const known = properties as object | undefined;
  if (!known) return true;
  for (const key of Object.keys(given)) if (!Object.hasOwn(known, key) || given[key] === null) return false;
  return true;
}

let validate: typeof Validate | undefined;
/** 17 KB that no session needs before its first call. */
const checker = () => (validate ??= require("../schema/validate.ts") as typeof Validate).checkInput;

/** Whoever changed the input last, the tool only sees input that matches its schema. */
export function validateInput(tool: Tool, given: unknown): Checked {
  return validateRepaired(tool, isObject(given) ? repairInput(tool, given) : given);
}

function validateRepaired(tool: Tool, repaired: unknown): Checked {
  if (!tool.invalid) {
    return checker()(tool.name, tool.input.json, repaired);
  }
  const message = tool.invalid(repaired);
  return message === undefined ? { ok: true, input: repaired as JsonObject } : { ok: false, message };
}

async function run(tool: Tool, input: JsonObject, context: ToolContext, limit: ShownLimit): Promise<ToolRunResult> {
  try {
    const output: unknown = await tool.run(input, context);
    const shown = await limitShown(tool, tool.show(output), context, limit);
    return { shown, failed: false, result: output, output };
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    const { message } = error;
    const shown = await limitShown(tool, message, context, limit);
    return { shown, failed: true, result: `Error: ${typeof shown === "string" ? shown : message}` };
  }
}
