// Questions of a member about its calls: they go to the lead, and the answers come back. Plans go to the lead's model,
// everything else to whoever answers the lead's own questions.

import { isObject, type ControlResponse, type JsonObject } from "@keelson/protocol";
import type { AskPerson } from "../../gate/ask.ts";
import type { TeamSignal } from "../messages.ts";
import type { TeammateIdentity } from "../team-world.ts";

type Answer = ControlResponse["response"];

export class LeadQuestions {
  readonly #tell: (signal: TeamSignal) => Promise<string | undefined>;
  readonly #identity: TeammateIdentity;
  readonly #newId: () => string;
  readonly #open = new Map<string, (answer: Answer) => void>();

  constructor(
    tell: (signal: TeamSignal) => Promise<string | undefined>,
    identity: TeammateIdentity,
    newId: () => string,
  ) {
    this.#tell = tell;
    this.#identity = identity;
    this.#newId = newId;
  }

  /** As the client would be asked. */
  readonly ask: AskPerson = async (body, withdrawn) => {
    const id = this.#newId();
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#open.set(id, resolve);
    const give = () => {
      resolve(denial(id, "The question was withdrawn"));
      void this.#tell({ type: "permission_withdrawn", request_id: id });
    };
    withdrawn.addEventListener("abort", give, { once: true });
    try {
      const problem = await this.#tell(this.#question(id, body));
      if (problem !== undefined) return denial(id, `The team lead could not be asked: ${problem}`);
      return await promise;
    } finally {
      withdrawn.removeEventListener("abort", give);
      this.#open.delete(id);
    }
  };

  /** Whether this was an answer to one of them. */
  answered(signal: TeamSignal): boolean {
    const { type, request_id: id } = signal;
    if (type === "permission_response") {
      if (typeof id === "string" && isObject(signal["response"])) {
        this.#open.get(id)?.({ ...(signal["response"] as Answer), request_id: id });
      }
      return true;
    }
    const resolve = type === "plan_approval_response" && typeof id === "string" ? this.#open.get(id) : undefined;
    if (!resolve) return false;
    const feedback = typeof signal["feedback"] === "string" ? signal["feedback"] : "The team lead rejected the plan";
    const approved = signal["approve"] === true || signal["approved"] === true;
    resolve(
      approved
        ? { subtype: "success", request_id: String(id), response: { behavior: "allow" } }
        : denial(String(id), feedback),
    );
    return true;
  }

  close(): void {
    for (const [id, resolve] of this.#open) resolve(denial(id, "The session is ending"));
  }

  #question(id: string, body: Parameters<AskPerson>[0]): TeamSignal {
    const { agentId, name } = this.#identity;
    const input = body["input"] as JsonObject;
    if (body["tool_name"] === "ExitPlanMode") {
      const { plan, planFilePath } = input;
      return {
        type: "plan_approval_request",
        from: name,
        request_id: id,
        ...(typeof planFilePath === "string" ? { planFilePath } : {}),
        planContent: typeof plan === "string" ? plan : "",
      };
    }
    const { tool_name, tool_use_id, description } = body;
    return {
      type: "permission_request",
      request_id: id,
      agent_id: agentId,
      tool_name,
      tool_use_id,
      description,
      input,
      permission_suggestions: body["permission_suggestions"],
      request: body,
    };
  }
}

function denial(request_id: string, message: string): Answer {
  return { subtype: "success", request_id, response: { behavior: "deny", message } };
}
