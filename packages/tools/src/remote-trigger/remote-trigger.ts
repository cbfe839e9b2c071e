// RemoteTrigger: manages routines on the user's routines server. The contract is docs/routines-api.md.

import { anyObject, defineTool, object, oneOf, optional, string, type Tool } from "@keelson/engine";
import description from "./remote-trigger.md" with { type: "text" };

const ACTIONS = [
  "list",
  "get",
  "create",
  "update",
  "run",
  "create_webhook_trigger",
  "list_runs",
  "get_run_log",
] as const;

export interface RemoteTriggerInput {
  readonly action: (typeof ACTIONS)[number];
  readonly trigger_id?: string;
  readonly session_id?: string;
  readonly cursor?: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface RemoteTriggerOutput {
  /** The HTTP status. */
  readonly status: number;
  /** The server's answer, as text. */
  readonly json: string;
  readonly summary?: string;
}

/** A request of the routines API. */
export interface RoutineRequest {
  readonly method: "GET" | "POST";
  /** With the query, and without the server's address. */
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The server does what requests with the same key ask for only once. */
  readonly idempotencyKey?: string;
}

export interface RoutinesClient {
  /** Rejects with ToolError if no server is set up or it cannot be reached. */
  send(request: RoutineRequest, signal: AbortSignal): Promise<{ readonly status: number; readonly json: string }>;
  /** Throws ToolError if no server is set up. */
  check(): void;
  now(): number;
}

const READS: ReadonlySet<string> = new Set(["list", "get", "list_runs", "get_run_log"]);

export function remoteTriggerTool(client: RoutinesClient): Tool<RemoteTriggerInput, RemoteTriggerOutput> {
  return defineTool<RemoteTriggerInput, RemoteTriggerOutput>({
    name: "RemoteTrigger",
    description,
    input: object({
      action: oneOf(ACTIONS, "What to do"),
      trigger_id: optional(string("The routine")),
      session_id: optional(string("The session of a run, for get_run_log")),
      cursor: optional(string("Where the last page ended")),
      body: optional(anyObject("The fields of create and update, and the options of run and create_webhook_trigger")),
    }),
    parallelSafe: ({ action }) => READS.has(action),
    async check(input) {
      client.check();
      (await import("./request.ts")).routineRequest(input, client.now());
    },
    access: (input) => (READS.has(input.action) || onlyDisables(input) ? { kind: "none" } : { kind: "external" }),
    async run(input, { signal, toolUseId }) {
      const [{ routineRequest }, { answerSummary }] = await Promise.all([
        import("./request.ts"),
        import("./summary.ts"),
      ]);
      const request = routineRequest(input, client.now());
      const changes = request.method === "POST" && input.action !== "update";
      const answer = await client.send({ ...request, ...(changes && { idempotencyKey: toolUseId }) }, signal);
      const summary = answerSummary(input.action, answer);
      return { ...answer, ...(summary === undefined ? {} : { summary }) };
    },
    show: ({ status, json, summary }) =>
      [`HTTP ${status}`, ...(summary === undefined ? [] : [summary]), json].join("\n"),
  });
}

/** Stopping a routine needs no approval. */
function onlyDisables({ action, body }: RemoteTriggerInput): boolean {
  return action === "update" && body?.["enabled"] === false && Object.keys(body).length === 1;
}
