// The headers of a request in the format of the Messages API, without those that authorize it.

import { VERSION } from "@keelson/protocol";
import type { ModelRequest } from "@keelson/engine";

export interface Caller {
  readonly sessionId?: string;
  /** How the program was started, such as `cli` or `sdk-ts`. */
  readonly entrypoint?: string;
  /** The name of the application that uses the SDK, such as `my-app/1.0`. */
  readonly clientApp?: string;
}

const MAX_APP_LENGTH = 200;

export function messagesHeaders(
  request: ModelRequest,
  { sessionId }: Caller,
  agent: string,
): Record<string, string | undefined> {
  const betas = betasOf(request);
  return {
    "anthropic-version": "2023-06-01",
    "content-type": "application/json",
    "user-agent": agent,
    "x-app": "cli",
    "x-claude-code-session-id": sessionId,
    "x-claude-code-agent-id": request.agent,
    "anthropic-beta": betas.length > 0 ? betas.join(",") : undefined,
  };
}

/** The betas that a request needs, each once. */
export function betasOf(request: ModelRequest): readonly string[] {
  const betas = new Set(request.betas);
  if (request.context_management) betas.add("context-management-2025-06-27");
  return [...betas];
}

export function userAgent({ entrypoint = "cli", clientApp = "" }: Caller): string {
  // The variable may contain anything; a parenthesis or newline would end the comment or the header.
  const app = clientApp
    .replace(/(?:[^\x21-\x7e]|[()\\])+/g, " ")
    .trim()
    .slice(0, MAX_APP_LENGTH);
  return `keelson/${VERSION} (external, ${entrypoint}${app === "" ? "" : `, client-app/${app}`})`;
}
