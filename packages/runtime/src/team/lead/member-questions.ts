// Permission questions of members, as the lead answers them: by asking whoever answers its own questions.

import type { ControlResponse } from "@keelson/protocol";
import type { AskPerson } from "../../gate/ask.ts";
import type { PermissionAsked } from "../messages.ts";

const NOBODY =
  "No one is available to approve it in this session. The team lead was started without a client that answers permission questions.";

export class MemberQuestions {
  readonly #person: () => Promise<AskPerson | undefined>;
  readonly #post: (to: string, text: string) => Promise<unknown>;
  readonly #open = new Map<string, { readonly member: string; readonly withdrawn: AbortController }>();

  constructor(person: () => Promise<AskPerson | undefined>, post: (to: string, text: string) => Promise<unknown>) {
    this.#person = person;
    this.#post = post;
  }

  ask(member: string, { request_id, agent_id, request }: PermissionAsked): void {
    const withdrawn = new AbortController();
    this.#open.set(request_id, { member, withdrawn });
    void this.#answer(
      member,
      { ...request, subtype: "can_use_tool", agent_id, agent_type: member },
      withdrawn.signal,
    ).then(async (response) => {
      this.#open.delete(request_id);
      const answer = { type: "permission_response", request_id, response: { ...response, request_id } };
      if (!withdrawn.signal.aborted) await this.#post(member, JSON.stringify(answer));
    });
  }

  withdraw(id: string): void {
    this.#open.get(id)?.withdrawn.abort();
  }

  /** The member is gone. */
  drop(member: string): void {
    for (const question of this.#open.values()) if (question.member === member) question.withdrawn.abort();
  }

  close(): void {
    for (const { withdrawn } of this.#open.values()) withdrawn.abort();
  }

  async #answer(
    member: string,
    body: Parameters<AskPerson>[0],
    withdrawn: AbortSignal,
  ): Promise<ControlResponse["response"]> {
    try {
      const person = await this.#person();
      if (person) return await person(body, withdrawn);
      return { subtype: "success", request_id: member, response: { behavior: "deny", message: NOBODY } };
    } catch (error) {
      return { subtype: "error", request_id: member, error: (error as Error).message };
    }
  }
}
