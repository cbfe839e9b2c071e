// Gets an approval for a call: PermissionRequest hooks and the client are asked at the same time, and the first answer
// wins. Without an answer, the call is denied. Front ends do not take part, so none can skip this.

import { relative } from "node:path";
import {
  ToolError,
  type Decider,
  type GateDecision,
  type Permission,
  type PermitRequest,
  type Rule,
} from "@keelson/engine";
import {
  isObject,
  type ClientQuestion,
  type ControlResponse,
  type FilePatch,
  type HookOutcome,
  type JsonObject,
  type PermissionUpdate,
  type Unchecked,
} from "@keelson/protocol";
import { updatesInAnswer } from "../controls/permission-updates.ts";

export type OpenQuestion = GateDecision & { readonly behavior: "ask" };

/** Sends `can_use_tool` to a client that answers it. `isProgram`: a program answered that is no client. */
export type AskPerson = (
  body: Unchecked<"can_use_tool">,
  withdrawn: AbortSignal,
) => Promise<ControlResponse["response"] & { readonly isProgram?: true }>;

/** Who can approve a call, and where rules that come with an answer go. */
export interface Approvers {
  /** The subagent that makes the call. */
  readonly agent?: { readonly id: string; readonly type: string };
  /** Set for MCP tools. */
  readonly origin?: { readonly server: string; readonly source: string };
  readonly person?: AskPerson;
  /** The person is shown what kind of call it is, and how an edit changes its file. */
  readonly showsMeta: boolean;
  /** Where the session works; questions name files from there. */
  readonly cwd: string;
  /** They run to their end even if someone else answers first: many only take note of the question. */
  hooks(input: JsonObject): Promise<HookOutcome>;
  accept(updates: readonly PermissionUpdate[]): void;
}

export async function requestApproval(
  request: PermitRequest,
  question: OpenQuestion,
  by: Approvers,
): Promise<Permission> {
  const settled = new AbortController();
  const hooked = askHooks(request, question, by, settled.signal);
  if (!by.person) return (await hooked) ?? unapproved(request, question);
  const person = askPerson(request, question, by.person, by, settled.signal);
  const first = await Promise.race([
    hooked.then((answered) => answered ?? person),
    // A lead without a client says at once that nobody is there; hooks may still answer.
    person.then(async (answered) => (isUnanswered(answered) ? ((await hooked) ?? answered) : answered)),
  ]);
  settled.abort();
  return first;
}

async function unapproved(request: PermitRequest, question: OpenQuestion, unasked?: string): Promise<Permission> {
  const { noApprover } = await import("./unapproved.ts");
  return noApprover(request, question, unasked);
}

const BY_HOOK = { by: "hook", reasonType: "hook" } as const;

async function askHooks(
  { tool, input, call }: PermitRequest,
  { suggestions }: OpenQuestion,
  { hooks, accept }: Approvers,
  withdrawn: AbortSignal,
): Promise<Permission | undefined> {
  const about: JsonObject = {
    tool_name: tool.name,
    tool_input: input,
    tool_use_id: call.id,
    permission_suggestions: suggestions,
  };
  const { permission } = await hooks(about);
  // What they say after the answer comes too late.
  if (!permission || withdrawn.aborted) return undefined;
  if (permission.behavior === "deny") {
    const message = permission.message || `A PermissionRequest hook denied ${tool.name}`;
    return { behavior: "deny", ...BY_HOOK, message, interrupt: permission.interrupt === true };
  }
  if (permission.updatedPermissions) accept(permission.updatedPermissions);
  return { behavior: "allow", ...BY_HOOK, source: "hook", input: permission.updatedInput ?? input };
}

async function askPerson(
  request: PermitRequest,
  question: OpenQuestion,
  ask: AskPerson,
  { accept, origin, agent, cwd, showsMeta }: Approvers,
  withdrawn: AbortSignal,
): Promise<Permission> {
  const { wish } = await import("@keelson/engine/gate");
  const patch = showsMeta ? await previewOf(request) : undefined;
  const saysNoMore = question.reason === wish({ access: request.access, tool: request.tool.name });
  const body: ClientQuestion<"can_use_tool"> = {
    subtype: "can_use_tool",
    tool_name: request.tool.name,
    display_name: request.tool.name,
    input: request.input,
    ...(showsMeta && request.tool.kind ? { kind: request.tool.kind } : {}),
    ...(patch ? { patch } : {}),
    ...describe(request, cwd),
    permission_suggestions: question.suggestions,
    ...(question.blockedPath === undefined ? {} : { blocked_path: question.blockedPath }),
    decision_reason: question.reason,
    ...(saysNoMore ? { decision_reason_is_default: true } : {}),
    decision_reason_type: question.reasonType ?? reasonType(question.by),
    ...(question.rule?.behavior === "ask" ? { matched_ask_rule: ruleOnWire(question.rule) } : {}),
    ...(origin ? { mcp_server: { name: origin.server, source: origin.source } } : {}),
    ...(request.access.kind === "person" ? { requires_user_interaction: true } : {}),
    tool_use_id: request.call.id,
    ...(agent ? { agent_id: agent.id, agent_type: agent.type } : {}),
  };
  const reply = await ask(body, withdrawn);
  if (reply.subtype === "error") {
    return { behavior: "deny", ...UNDECIDED, message: `Tool permission request failed: ${reply.error}` };
  }
  if (isObject(reply.response) && typeof reply.response["unanswered"] === "string") {
    return unapproved(request, question, reply.response["unanswered"]);
  }
  const answer = readAnswer(reply.response, request.input, accept);
  const isSaid = answer.behavior === "deny" ? answer.message !== UNEXPLAINED : answer.input !== request.input;
  const isUsersWord = reply.isProgram !== true && isSaid;
  return isUsersWord && answer.reasonType === undefined ? { ...answer, isUsersWord } : answer;
}

/** A file that cannot be read now is the business of the call itself. */
async function previewOf(request: PermitRequest): Promise<FilePatch | undefined> {
  try {
    return await request.preview?.();
  } catch (error) {
    if (error instanceof ToolError) return undefined;
    throw error;
  }
}

/** What the call is about, in a line for the person: the model's own words if it gave any. */
function describe({ input, access }: PermitRequest, cwd: string): { readonly description?: string } {
  const { description } = input;
  if (typeof description === "string") return { description };
  if (access.kind === "command") return { description: access.command };
  if (access.kind === "url") return { description: access.url };
  if (!("path" in access)) return {};
  const within = relative(cwd, access.path);
  return { description: within.startsWith("..") || within === "" ? access.path : within };
}

const isUnanswered = (answer: Permission) => answer.behavior === "deny" && answer.unanswered === true;

function ruleOnWire({ source, tool, content }: Rule) {
  return { source, tool_name: tool, ...(content === undefined ? {} : { rule_content: content }) };
}

/** The reason's name on the wire. */
export function reasonType(by: Decider): string {
  return by === "protected" ? "safetyCheck" : by;
}

/** As the client says. Rules that come with the answer do not decide it. */
function sourceOf(response: Readonly<Record<string, unknown>>): string {
  const said = response["decisionClassification"] ?? response["decision_classification"];
  return said === "user_permanent" ? said : "user_temporary";
}

/** Whether a client's answer decides. */
export function isPermissionAnswer(response: unknown): boolean {
  if (!isObject(response) || typeof response["unanswered"] === "string") return false;
  const { behavior, message } = response;
  if (behavior === "deny") return typeof message === "string";
  return behavior === "allow" && isObject(inputIn(response) ?? {}) && !(updatesInAnswer(response) instanceof Error);
}

const inputIn = (response: Readonly<Record<string, unknown>>) => response["updatedInput"] ?? response["updated_input"];

function readAnswer(
  response: unknown,
  asked: JsonObject,
  accept: (updates: readonly PermissionUpdate[]) => void,
): Permission {
  if (isPermissionAnswer(response) && isObject(response) && response["behavior"] === "allow") {
    const input = inputIn(response) ?? asked;
    const updates = updatesInAnswer(response);
    if (!(updates instanceof Error) && updates.length > 0) accept(updates);
    return { behavior: "allow", by: "person", source: sourceOf(response), input: input as JsonObject };
  }
  if (isObject(response) && response["behavior"] === "deny" && typeof response["message"] === "string") {
    const interrupt = response["interrupt"] === true;
    const said = response["message"].trim() !== "";
    const words = said ? { message: response["message"] } : { message: UNEXPLAINED, forPeople: DENIED };
    return { behavior: "deny", by: "person", ...words, interrupt };
  }
  const updates = isObject(response) ? updatesInAnswer(response) : [];
  const why = updates instanceof Error ? `: ${updates.message.slice(0, MOST_WHY)}` : "";
  return {
    behavior: "deny",
    ...UNDECIDED,
    message: `Tool permission request failed: the client's answer is not valid${why}`,
  };
}

/** Of what a client wrote. */
const MOST_WHY = 300;

/** The client was asked and failed. */
const UNDECIDED = { by: "person", reasonType: "other" } as const;

/** The user or the application said no, and nothing else. */
const DENIED = "The call was denied, and no reason was given.";
const UNEXPLAINED = `${DENIED} Do not repeat it: go on in another way, or say what you need it for.`;
