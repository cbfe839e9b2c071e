// The questions of members, as the lead answers them. Calls go to whoever answers the lead's own questions, plans to the
// lead's model. Answers travel over the member's own stream, where no command can forge one.

import type { ControlResponse, JsonObject, PermissionMode } from "@keelson/protocol";
import type { AskPerson } from "../../gate/ask.ts";
import type { MemberQuestion } from "./backends/backend.ts";

const NOBODY =
  "No one is available to approve it in this session: the team lead was started without a client that answers permission questions.";

export interface MemberQuestionsOptions {
  /** Undefined if no one answers. */
  person(): Promise<AskPerson | undefined>;
  send(member: string, message: object): void;
  /** Shows the lead's model a plan. Resolves when it is in the lead's mailbox. */
  showPlan(
    member: string,
    plan: { readonly request_id: string; readonly planContent: string; readonly planFilePath?: string },
  ): Promise<unknown>;
  /** Calls a hook inside the lead's client. */
  callHook(id: string, input: JsonObject, signal: AbortSignal): Promise<ControlResponse["response"]>;
  readonly team: string;
}

interface OpenQuestion {
  readonly member: string;
  readonly isPlan: boolean;
  /** A plan that the lead can know of. */
  isShown?: boolean;
  readonly withdrawn: AbortController;
}

/** Whether the lead's model agrees with a plan. */
export const isApproval = ({ approve, approved }: Readonly<Record<string, unknown>>) =>
  approve === true || approved === true;

export class MemberQuestions {
  readonly #options: MemberQuestionsOptions;
  readonly #open = new Map<string, OpenQuestion>();

  constructor(options: MemberQuestionsOptions) {
    this.#options = options;
  }

  hear(member: string, { type, request_id: id, request }: MemberQuestion): void {
    if (type === "control_cancel_request") return this.#open.get(id)?.withdrawn.abort();
    if (request?.subtype === "hook_callback") return void this.#callHook(id, member, request);
    if (request?.subtype !== "can_use_tool") {
      return this.#reply(member, {
        subtype: "error",
        request_id: id,
        error: "A teammate has no client that answers this",
      });
    }
    const isPlan = request["tool_name"] === "ExitPlanMode";
    const question: OpenQuestion = { member, isPlan, withdrawn: new AbortController() };
    this.#open.set(id, question);
    question.withdrawn.signal.addEventListener("abort", () => this.#open.delete(id), { once: true });
    if (isPlan) {
      const { plan, planFilePath } = (request["input"] ?? {}) as Record<string, unknown>;
      const shown = this.#options.showPlan(member, {
        request_id: id,
        planContent: typeof plan === "string" ? plan : "",
        ...(typeof planFilePath === "string" ? { planFilePath } : {}),
      });
      return void shown.then(() => (question.isShown = true));
    }
    void this.#ask(id, question, request);
  }

  /** The lead's model has judged a plan. False if no plan of this member waits under this id. `mode` is the lead's. */
  judged(member: string, message: Readonly<Record<string, unknown>>, mode: PermissionMode): boolean {
    const id = String(message["request_id"]);
    const question = this.#open.get(id);
    if (!question?.isPlan || question.member !== member) return false;
    this.#open.delete(id);
    const { feedback } = message;
    const why = typeof feedback === "string" && feedback !== "" ? feedback : "The team lead rejected the plan";
    // After its plan it would ask; where the lead does not, it must not either.
    const updatedPermissions = [{ type: "setMode", mode, destination: "session" }];
    const response = isApproval(message)
      ? { behavior: "allow", ...(mode === "dontAsk" ? { updatedPermissions } : {}) }
      : { behavior: "deny", message: why };
    this.#reply(member, { subtype: "success", request_id: id, response });
    return true;
  }

  /** Whether the lead's model was told of a plan of this member and has to judge it. */
  awaitsJudgement(member: string): boolean {
    return [...this.#open.values()].some((question) => question.isShown && question.member === member);
  }

  /** The member is gone. */
  drop(member: string): void {
    for (const question of this.#open.values()) if (question.member === member) question.withdrawn.abort();
  }

  close(): void {
    for (const { withdrawn } of this.#open.values()) withdrawn.abort();
  }

  async #callHook(id: string, member: string, request: NonNullable<MemberQuestion["request"]>): Promise<void> {
    const question = { member, isPlan: false, withdrawn: new AbortController() };
    this.#open.set(id, question);
    const { callback_id: callback, input } = request;
    const answer = await this.#options.callHook(
      String(callback),
      (input ?? {}) as JsonObject,
      question.withdrawn.signal,
    );
    if (this.#open.delete(id)) this.#reply(member, { ...answer, request_id: id });
  }

  async #ask(id: string, { member, withdrawn }: OpenQuestion, request: NonNullable<MemberQuestion["request"]>) {
    const body = {
      ...request,
      subtype: "can_use_tool" as const,
      agent_id: `${member}@${this.#options.team}`,
      agent_type: member,
    };
    const answer = await this.#answer(id, body, withdrawn.signal);
    if (!this.#open.delete(id)) return;
    this.#reply(member, { ...answer, request_id: id });
  }

  async #answer(
    id: string,
    body: Parameters<AskPerson>[0],
    withdrawn: AbortSignal,
  ): Promise<ControlResponse["response"]> {
    try {
      const person = await this.#options.person();
      if (person) return await person(body, withdrawn);
      return {
        subtype: "success",
        request_id: id,
        response: { behavior: "deny", message: NOBODY, unanswered: NOBODY },
      };
    } catch (error) {
      return { subtype: "error", request_id: id, error: (error as Error).message };
    }
  }

  #reply(member: string, response: ControlResponse["response"]): void {
    this.#options.send(member, { type: "control_response", response });
  }
}
