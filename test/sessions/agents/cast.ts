// A scripted model that answers each agent of a session by its own list of replies.

import type { ScriptedReply } from "@keelson/testkit";

/** A reply or a refusal. */
type Said = ScriptedReply | { readonly status: number; readonly message: string };
/** What is said, or how to make it from the request. */
type Line = Said | ((body: any) => Said | Promise<Said>);

/**
 * By words in the prompt of an agent; `main` for the session's own. The words must not be in any other agent's
 * conversation as text of a prompt.
 */
export function cast(roles: Readonly<Record<string, readonly Line[]>>) {
  const at = new Map<string, number>();
  return async (body: any): Promise<Said> => {
    const role = roleOf(body, Object.keys(roles));
    const number = at.get(role) ?? 0;
    at.set(role, number + 1);
    const line = roles[role]?.[number];
    if (line === undefined) throw new Error(`No reply ${number + 1} for ${role}`);
    return typeof line === "function" ? line(body) : line;
  };
}

/** The requests of one agent. */
export const requestsOf = (requests: readonly { readonly body: any }[], role: string, roles: readonly string[]) =>
  requests.filter(({ body }) => roleOf(body, roles) === role).map(({ body }) => body);

function roleOf(body: any, roles: readonly string[]): string {
  const texts = body.messages
    .filter(({ role }: any) => role === "user")
    .flatMap(({ content }: any) => content)
    .flatMap((block: any) =>
      block.type === "text" && !block.text.startsWith("<system-reminder>") ? [block.text] : [],
    );
  return roles.find((role) => role !== "main" && texts.some((text: string) => text.includes(role))) ?? "main";
}

export const agent = (prompt: string, more: object = {}) => ({
  name: "Agent",
  input: { description: "A task", prompt, ...more },
});
