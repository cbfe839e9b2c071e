// Permission for one tool call. The gate decides first; a call it leaves open goes to the classifier in auto mode, then
// to PermissionRequest hooks and the client. Denials are reported to the client.

import type { GateDecision, Permission, PermitRequest } from "@keelson/engine";
import type { HookEvent, HookOutcome, JsonObject, Signal } from "@keelson/protocol";
import { reasonType, requestApproval, type AskPerson } from "./ask.ts";
import type { Classifier } from "./classifier.ts";
import type { Gate } from "./gate.ts";

/** The subagent that makes a call. */
export interface CallingAgent {
  readonly id: string;
  readonly type: string;
}

export interface ApprovalOptions {
  readonly gate: Gate;
  /** Absent for calls of the session's own agent. */
  readonly agent?: CallingAgent;
  /** No one waits for that subagent. */
  readonly isInBackground?: boolean;
  /** Sends a question to clients. Undefined while none answers permission questions. */
  person(): AskPerson | undefined;
  /** Whether a client is shown how an edit changes its file. */
  showsMeta?(): boolean;
  fire(event: HookEvent, input: JsonObject, signal: AbortSignal): Promise<HookOutcome>;
  /** The MCP server a tool belongs to. */
  originOf(tool: string): { readonly server: string; readonly source: string } | undefined;
  openClassifier(): Promise<Classifier>;
  show(signal: Signal): void | Promise<void>;
}

/** Clients know the rules for a command as those of its parts, and what needs no permission as part of the mode. */
function recordedReason({ behavior, by, ...decided }: GateDecision, { access }: PermitRequest): string {
  if (by === "hook" || by === "mode") return by;
  // A rule for the whole tool needs no look at the parts.
  if ("rule" in decided && decided.rule && decided.rule.content === undefined) return "rule";
  if (access.kind === "command") return "subcommandResults";
  return behavior === "allow" && by !== "rule" ? "mode" : reasonType(by);
}

/** For the model, after the rule that denies the call. */
const GO_ON = "Do not reach the same end in another way: go on without it, and say at the end what was left undone.";

/** Allows or denies a call, asking hooks and the client if needed. */
export type Permit = (request: PermitRequest, signal: AbortSignal) => Promise<Permission>;

export class Approvals {
  readonly #options: ApprovalOptions;
  #classifier: Promise<Classifier> | undefined;

  constructor(options: ApprovalOptions) {
    this.#options = options;
  }

  async permit(request: PermitRequest, signal: AbortSignal): Promise<Permission> {
    const { gate, isInBackground } = this.#options;
    const { access, input, call } = request;
    // Some providers reuse call ids; an earlier approval was for another call.
    gate.ruleBook.setUnguarded(call.id, false);
    const decided = await gate.decide(request);
    const decision = await this.#classify(decided, request, signal);
    const reason = { by: decision.by, reasonType: recordedReason(decision, request) };
    if (decision.behavior === "allow")
      return { behavior: "allow", ...reason, source: decision.by === "hook" ? "hook" : "config", input };
    if (decision.behavior === "ask") {
      const person = this.#options.person();
      const answered = await this.#answer(request, decision, person, signal);
      const unguards = access.kind === "command" && (access.unsandboxed === true || decision.by === "protected");
      if (unguards && answered.behavior === "allow") gate.ruleBook.setUnguarded(call.id, true);
      if (!person && answered.behavior === "deny") {
        const why = answered.by === "hook" ? answered.message : decision.reason;
        const { waysToAllow } = await import("./unapproved.ts");
        const howToAllow = answered.by === "hook" ? undefined : waysToAllow(decision.suggestions);
        this.#report(request, answered, {
          why,
          howToAllow,
          isAsync: isInBackground === true && answered.by !== "hook",
        });
      }
      return answered;
    }
    const { message, forPeople = message } = decision;
    const again = decided.behavior === "deny" ? undefined : await this.#mayRetry(request, message, signal);
    const denied = {
      behavior: "deny",
      ...reason,
      message: again ? `${message} ${again}` : message,
      forPeople,
    } as const;
    // A hook's denial is already on the stream.
    if (decision.by !== "hook") this.#report(request, denied);
    return decision.by === "rule" ? { ...denied, message: `${denied.message} ${GO_ON}` } : denied;
  }

  async #classify(decision: GateDecision, request: PermitRequest, signal: AbortSignal): Promise<GateDecision> {
    const { gate, openClassifier } = this.#options;
    // Read once: the client may change it while the classifier is loaded.
    const { mode } = gate;
    if (mode !== "auto") return decision;
    const classifier = await (this.#classifier ??= openClassifier());
    return classifier.judge(decision, mode, request, signal);
  }

  #answer(
    request: PermitRequest,
    decision: GateDecision & { behavior: "ask" },
    person: AskPerson | undefined,
    signal: AbortSignal,
  ): Promise<Permission> {
    const { fire, gate, originOf, agent } = this.#options;
    if (person) {
      const who = agent ? ` for the ${agent.type} agent` : "";
      const message = `Keelson needs permission to use ${request.tool.name}${who}`;
      void fire("Notification", { message, notification_type: "permission_prompt" }, signal);
    }
    return requestApproval(request, decision, {
      ...(person ? { person: (body, answered) => person(body, AbortSignal.any([signal, answered])) } : {}),
      ...(agent ? { agent } : {}),
      showsMeta: this.#options.showsMeta?.() === true,
      cwd: gate.cwd,
      origin: originOf(request.tool.name),
      hooks: (about) => fire("PermissionRequest", about, signal),
      accept: (updates) => void gate.accept(updates),
    });
  }

  /** Runs PermissionDenied hooks after the classifier denied a call; they may allow a retry. */
  async #mayRetry(request: PermitRequest, reason: string, signal: AbortSignal): Promise<string | undefined> {
    const { tool, input: tool_input, call } = request;
    const about = { tool_name: tool.name, tool_input, tool_use_id: call.id, reason };
    const { fields } = await this.#options.fire("PermissionDenied", about, signal);
    return fields?.["retry"] === true ? "A hook allows one retry of this call." : undefined;
  }

  /** `why` it was not allowed without a question, if there should have been one, and what would have allowed it. */
  #report(
    request: PermitRequest,
    denied: Permission & { behavior: "deny" },
    { why, howToAllow, isAsync = false }: { why?: string; howToAllow?: string | undefined; isAsync?: boolean } = {},
  ): void {
    void this.#options.show({
      type: "system",
      subtype: "permission_denied",
      tool_name: request.tool.name,
      tool_use_id: request.call.id,
      ...(this.#options.agent ? { agent_id: this.#options.agent.id } : {}),
      decision_reason_type: isAsync ? "asyncAgent" : (denied.reasonType ?? reasonType(denied.by)),
      ...(why === undefined ? {} : { decision_reason: why }),
      ...(howToAllow === undefined ? {} : { how_to_allow: howToAllow }),
      message: denied.message,
    });
  }
}
