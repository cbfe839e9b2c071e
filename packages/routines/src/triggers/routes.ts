// The addresses that others call. None of them has a sign-in: a token or a signature says who calls, and the body is read as bytes.

import { TEXT_OR_NULL, type OpenRoute } from "@keelson/web";
import { notFound } from "../api/api-error.ts";
import type { Trigger } from "../records/trigger.ts";
import { StoreUnavailable } from "../store/run-store.ts";
import { callWebhook, fireRoutine, type HookCall } from "./fire.ts";
import { MAX_DELIVERY, receiveGithub, type GithubPorts } from "./github/receive.ts";
import type { HookPorts } from "./hook.ts";

export function triggerRoutes(ports: GithubPorts): readonly OpenRoute[] {
  const common = {
    method: "POST",
    access: "anyone",
    takesBytes: true,
    ids: /^[\w-]{1,128}$/,
    errors: [401, 404, 409, 503],
  } as const;
  const callOf = ({ params, headers, bytes }: Parameters<OpenRoute["run"]>[0]): HookCall => ({
    id: params["id"]!,
    headers,
    body: bytes,
  });
  return [
    {
      ...common,
      path: "/v1/claude_code/routines/{id}/fire",
      summary: 'Start a run with a token of the routine and `{"text": "…"}`',
      reply: { type: "object", properties: { ...FIRED, ...AS_THE_REFERENCE } },
      run: (request) => fireRoutine(callOf(request), ports),
    },
    {
      ...common,
      path: "/v1/hooks/http/{id}",
      admit: (_, { id }) => exists(id!, "http", ports),
      summary: "Start a run with any body, and the token or a signature of the webhook",
      maxBody: MAX_DELIVERY,
      reply: { type: "object", properties: { ...FIRED, ...AS_THE_REFERENCE } },
      run: (request) => callWebhook(callOf(request), ports),
    },
    {
      ...common,
      path: "/v1/hooks/github/{id}",
      admit: (_, { id }) => exists(id!, "github", ports),
      summary: "Where GitHub delivers events, signed with the secret of the webhook",
      maxBody: MAX_DELIVERY,
      reply: { type: "object", properties: FIRED },
      run: (request) => receiveGithub(callOf(request), ports),
    },
  ];
}

/** Before a byte of the body is read: nobody finds out the address of a webhook by guessing. */
async function exists(id: string, kind: Trigger["kind"], { store }: HookPorts): Promise<void> {
  const trigger = await store.triggers.get(id).catch((error: unknown) => {
    // It is told apart later.
    if (error instanceof StoreUnavailable) return { kind };
    throw error;
  });
  if (trigger?.kind !== kind) throw notFound("webhook");
}

const FIRED = {
  type: { type: "string", enum: ["routine_fire"] },
  id: { ...TEXT_OR_NULL, description: "Of the run; null if none was started." },
  session_id: TEXT_OR_NULL,
  state: { type: "string" },
  reason: { type: "string" },
} as const;

const AS_THE_REFERENCE = {
  claude_code_session_id: { type: "string" },
  claude_code_session_url: { type: "string" },
} as const;
