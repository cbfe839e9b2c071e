// The questions of members, as the lead answers them. Calls go to whoever answers the lead's own questions, plans to the
// lead's model. Answers travel over the member's own stream, where no command can forge one.

import type { SessionQuestion } from "@keelson/client/requests";
import {
  isObject,
  type ControlResponse,
  type JsonObject,
  type PermissionMode,
  type Unchecked,
} from "@keelson/protocol";
import type { AskPerson } from "../../gate/ask.ts";

const NOBODY =
  "No one is available to approve it in this session: the team lead was started without a client that answers permission questions.";

export interface MemberQuestionsOptions {
  /** Undefined if no one answers. */
  person(): Promise<AskPerson | undefined>;
  /** Shows the lead's model a plan. Resolves when it is in the lead's mailbox. */
  showPlan(
    member: string,
    plan: { readonly request_id: string; readonly planContent: string; readonly planFilePath?: string },
  ): Promise<unknown>;
  /** Calls a hook inside the lead's client. */
  callHook(id: string, input: JsonObject, signal: AbortSignal): Promise<ControlResponse["response"]>;
  readonly team: string;
}

interface WaitingPlan {
  readonly member: string;
  readonly question: SessionQuestion;
  /** The lead can know of it. */
  isShown: boolean;
}

/** Whether the lead's model agrees with a plan. */
export const isApproval = ({ approve, approved }: Readonly<Record<string, unknown>>) =>
  approve === true || approved === true;

export class MemberQuestions {
  readonly #options: MemberQuestionsOptions;
  readonly #plans = new Map<string, WaitingPlan>();

  constructor(options: MemberQuestionsOptions) {
    this.#options = options;
  }

  hear(member: string, question: SessionQuestion): void {
    const { request } = question;
    if (request.subtype === "hook_callback") return void this.#callHook(question, request);
    if (request.subtype !== "can_use_tool") return question.refuse("A teammate has no client that answers this");
    if (request.tool_name === "ExitPlanMode") this.#showPlan(member, question, request);
    else void this.#ask(member, question, request);
  }

  /** The lead's model has judged a plan. False if no plan of this member waits under this id. `mode` is the lead's. */
  judged(member: string, message: Readonly<Record<string, unknown>>, mode: PermissionMode): boolean {
    const id = String(message["request_id"]);
    const plan = this.#plans.get(id);
    if (plan?.member !== member) return false;
    this.#plans.delete(id);
    const { feedback } = message;
    const why = typeof feedback === "string" && feedback !== "" ? feedback : "The team lead rejected the plan";
    // After its plan it would ask; where the lead does not, it must not either.
    const updatedPermissions = [{ type: "setMode", mode, destination: "session" }];
    const response = isApproval(message)
      ? { behavior: "allow", ...(mode === "dontAsk" ? { updatedPermissions } : {}) }
      : { behavior: "deny", message: why };
    plan.question.answer(response);
    return true;
  }

  /** Whether the lead's model was told of a plan of this member and has to judge it. */
  awaitsJudgement(member: string): boolean {
    return [...this.#plans.values()].some((plan) => plan.isShown && plan.member === member);
  }

  #showPlan(member: string, question: SessionQuestion, { input }: Unchecked<"can_use_tool">): void {
    const { id, signal } = question;
    const waiting: WaitingPlan = { member, question, isShown: false };
    this.#plans.set(id, waiting);
    signal.addEventListener("abort", () => this.#plans.delete(id), { once: true });
    const { plan, planFilePath } = isObject(input) ? input : {};
    const shown = this.#options.showPlan(member, {
      request_id: id,
      planContent: typeof plan === "string" ? plan : "",
      ...(typeof planFilePath === "string" ? { planFilePath } : {}),
    });
    void shown.then(() => (waiting.isShown = true));
  }

  async #callHook({ signal, relay }: SessionQuestion, request: Unchecked<"hook_callback">): Promise<void> {
    const { callback_id: callback, input } = request;
    relay(await this.#options.callHook(String(callback), (isObject(input) ? input : {}) as JsonObject, signal));
  }

  async #ask(member: string, question: SessionQuestion, request: Unchecked<"can_use_tool">): Promise<void> {
    const body = { ...request, agent_id: `${member}@${this.#options.team}`, agent_type: member };
    try {
      const person = await this.#options.person();
      if (person) question.relay(await person(body, question.signal));
      else question.answer({ behavior: "deny", message: NOBODY, unanswered: NOBODY });
    } catch (error) {
      question.refuse((error as Error).message);
    }
  }
}
