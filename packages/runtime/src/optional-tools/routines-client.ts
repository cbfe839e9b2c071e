// A client of the routines API (docs/routines-api.md). Answers of the server are data, whatever their status; only a
// server that is missing or cannot be reached is an error.

import type { Snapshot } from "@keelson/config";
import { ToolError } from "@keelson/engine";
import { callService, ServiceCallError } from "@keelson/host/service-call";
import type { RoutinesClient } from "@keelson/tools/optional";
import { routinesServer } from "./wanted.ts";

export interface RoutinesParts {
  snapshot(): Pick<Snapshot, "settings" | "env" | "configDir">;
  sessionId(): string;
  now(): number;
  /** Takes secrets out of an answer and saves them. */
  saveSecrets(json: string, configDir: string): string;
}

const MISSING =
  'No routines server is set up. Set KEELSON_ROUTINES_URL, or "routines": {"url": …} in the user settings.';
/** Logs are the longest answers, and the server sends them in pages. */
const MAX_BYTES = 1024 * 1024;

export function createRoutinesClient({ snapshot, sessionId, now, saveSecrets }: RoutinesParts): RoutinesClient {
  const server = () => {
    const { url, token } = routinesServer(snapshot());
    if (url === undefined) throw new ToolError(MISSING);
    return { url: url.replace(/\/+$/, ""), token };
  };
  return {
    now,
    check: () => void server(),
    async send({ method, path, body, idempotencyKey }, signal) {
      const { url, token } = server();
      const headers = {
        accept: "application/json",
        ...(body && { "content-type": "application/json" }),
        // Some models use ids of calls again in another session.
        ...(idempotencyKey && { "idempotency-key": `${sessionId()}:${idempotencyKey}` }),
      };
      const call = { url: url + path, token, method, headers, signal, maxBytes: MAX_BYTES };
      try {
        const answer = await callService({ ...call, ...(body && { body: JSON.stringify(body) }) });
        if (answer.cut) throw new ToolError("The routines server's answer is larger than 1 MB. Ask for less at once.");
        if (answer.status >= 300 && answer.status < 400) {
          throw new ToolError(
            `The routines server redirects elsewhere (status ${answer.status}). Set its own address.`,
          );
        }
        return { status: answer.status, json: saveSecrets(answer.text, snapshot().configDir) };
      } catch (error) {
        if (error instanceof ServiceCallError) throw new ToolError(`Routines server: ${error.message}`);
        throw error;
      }
    },
  };
}
