// Webhooks of routines after they were made, and what arrived at them. Token and secret are shown once, by whoever makes or replaces
// them.

import { HttpRefusal, type Route, type RouteReply, type SignedInRequest } from "@keelson/web";
import type { Delivery } from "../records/delivery.ts";
import type { Trigger } from "../records/trigger.ts";
import type { RunStore } from "../store/run-store.ts";
import { rotateWebhook, webhookProblem } from "../triggers/new-trigger.ts";
import { notFound, wrongField } from "./api-error.ts";
import { recordAudit } from "./audit.ts";
import { PAGE_QUERY, PAGE_REPLY, pageWanted, replyWithPage } from "./pages.ts";
import { changeableRoutine } from "./routine-routes.ts";
import { time } from "./shown.ts";
import { webhookFields } from "./webhook-fields.ts";

export interface WebhookApi {
  readonly store: RunStore;
  /** Where callers reach this server, without a slash at the end. */
  readonly address: () => string;
  seal(secret: string): Promise<string>;
}

export function webhookRoutes(api: WebhookApi): readonly Route[] {
  const { store } = api;
  const ids = /^[\w-]{1,128}$/;
  const json = { type: "object", additionalProperties: true } as const;
  const one = "/v1/triggers/{id}";
  return [
    {
      method: "GET",
      path: "/v1/code/triggers/{id}/webhooks",
      access: "viewer",
      summary: "Webhooks of a routine, without their tokens and secrets",
      ids,
      query: PAGE_QUERY,
      reply: PAGE_REPLY,
      errors: [404],
      async run({ params, query }) {
        const routineId = params["id"]!;
        if ((await store.routine(routineId)) === undefined) throw notFound("routine");
        const { limit, cursor } = pageWanted(query);
        return replyWithPage(
          async () => {
            const page = await store.triggers.list({ routineId }, { limit, cursor });
            return { rows: page.rows.filter(({ kind }) => kind !== "schedule"), next: page.next };
          },
          (trigger) => shownWebhook(trigger, api),
        );
      },
    },
    {
      method: "PATCH",
      path: one,
      access: "driver",
      summary: "Change events, filters, actors, the cap or the end of a webhook",
      ids,
      body: json,
      reply: json,
      errors: [404],
      run: (request: SignedInRequest) => change(request, api),
    },
    {
      method: "DELETE",
      path: one,
      access: "driver",
      summary: "Remove a webhook: nothing that calls it starts the routine any more",
      ids,
      reply: { type: "null" },
      status: 204,
      errors: [404],
      async run(request: SignedInRequest) {
        const { id } = await webhookOf(request, api);
        if ((await store.triggers.remove(id)) === undefined) throw notFound("webhook");
        await recordAudit("webhook.remove", id, request, api);
        return {};
      },
    },
    {
      method: "POST",
      path: `${one}/rotate`,
      access: "driver",
      summary:
        "Replace token and secret; the ones before are refused from then on, and the new ones are shown this once",
      ids,
      body: { type: "object" },
      reply: json,
      errors: [404, 409],
      run: (request: SignedInRequest) => rotate(request, api),
    },
    {
      method: "GET",
      path: "/v1/deliveries",
      access: "viewer",
      summary: "What arrived at webhooks and what was made of it, newest first",
      query: {
        ...PAGE_QUERY,
        webhook_id: { maxLength: 128, description: "Of this webhook only" },
        verdict: { maxLength: 20, description: "run, filtered, capped, skipped or refused" },
      },
      reply: PAGE_REPLY,
      run({ query }) {
        const { webhook_id: triggerId, verdict, ...page } = query;
        if (verdict !== undefined && !isVerdict(verdict)) throw wrongField("verdict", `must be ${VERDICTS.join(", ")}`);
        const where = {
          ...(triggerId === undefined ? {} : { triggerId }),
          ...(verdict === undefined ? {} : { verdict }),
        };
        return replyWithPage(() => store.deliveries.list(where, pageWanted(page)), shownDelivery);
      },
    },
  ];
}

const VERDICTS = ["run", "filtered", "capped", "skipped", "refused"] as const;
const isVerdict = (text: string): text is Delivery["verdict"] => VERDICTS.some((each) => each === text);

async function change(request: SignedInRequest, api: WebhookApi): Promise<RouteReply> {
  const { store } = api;
  const before = await webhookOf(request, api);
  if (request.body["kind"] !== undefined && request.body["kind"] !== before.kind)
    throw wrongField("kind", "cannot be changed; make another webhook");
  const { kind: _, expiresAt, ...given } = webhookFields({ ...request.body, kind: before.kind });
  const fields = { ...given, ...(request.body["expires_at"] === undefined ? {} : { expiresAt: expiresAt ?? null }) };
  const after = { ...before, ...fields };
  const problem = webhookProblem(after);
  if (problem !== undefined) throw new HttpRefusal("invalid_request", problem);
  if (fields.expiresAt != null && fields.expiresAt <= (await store.now()))
    throw wrongField("expires_at", "This time is in the past");
  if (Object.keys(fields).length > 0 && !(await store.triggers.update(before.id, fields))) throw notFound("webhook");
  await recordAudit("webhook.update", before.id, request, api);
  return { json: shownWebhook(after, api) };
}

async function rotate(request: SignedInRequest, api: WebhookApi): Promise<RouteReply> {
  const webhook = await webhookOf(request, api);
  const { id } = webhook;
  const made = await rotateWebhook(api.store, webhook, api);
  if (made === undefined)
    throw new HttpRefusal("conflict", "Somebody else replaced token and secret at the same time; do it again");
  const { token, secret } = made;
  await recordAudit("webhook.rotate", id, request, api);
  return { json: { ...(token === undefined ? {} : { token }), secret } };
}

/** It is about to be changed, like the routine that it belongs to. */
async function webhookOf({ params, device }: SignedInRequest, { store }: WebhookApi): Promise<Trigger> {
  const trigger = await store.triggers.get(params["id"]!);
  if (trigger === undefined || trigger.kind === "schedule") throw notFound("webhook");
  await changeableRoutine({ params: { id: trigger.routineId }, device }, { store });
  return trigger;
}

const shownWebhook = (trigger: Trigger, { address }: WebhookApi) => ({
  id: trigger.id,
  kind: trigger.kind,
  url: `${address()}/v1/hooks/${trigger.kind}/${trigger.id}`,
  ...(trigger.kind === "http" ? { fire_url: `${address()}/v1/claude_code/routines/${trigger.routineId}/fire` } : {}),
  events: trigger.events,
  filters: trigger.filters,
  actors: trigger.actors,
  hourly_cap: trigger.hourlyCap,
  expires_at: time(trigger.expiresAt),
  last_fired_at: time(trigger.lastFiredAt),
  created_at: time(trigger.createdAt),
});

const shownDelivery = (delivery: Delivery) => ({
  id: delivery.id,
  webhook_id: delivery.triggerId,
  source: delivery.source,
  key: delivery.key,
  event: delivery.event,
  verdict: delivery.verdict,
  reason: delivery.reason,
  run_id: delivery.runId,
  at: time(delivery.at),
});
