// Whether a call of a webhook comes from someone who knows its token or secret.

import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

export interface Webhook {
  readonly id: string;
  readonly triggerId: string;
  readonly kind: "http" | "github";
  readonly token?: string;
  readonly secret: string;
}

const MAX_AGE_S = 300;

export function isAuthentic(webhook: Webhook, headers: IncomingHttpHeaders, body: string, now: number): boolean {
  const header = (name: string) => String(headers[name] ?? "");
  if (webhook.kind === "github") return isSigned(header("x-hub-signature-256"), webhook.secret, body);
  if (webhook.token !== undefined && header("authorization") === `Bearer ${webhook.token}`) return true;
  const time = header("x-keelson-timestamp");
  if (!/^\d+$/.test(time) || Math.abs(now / 1000 - Number(time)) > MAX_AGE_S) return false;
  return isSigned(header("x-keelson-signature-256"), webhook.secret, `${time}.${body}`);
}

function isSigned(given: string, secret: string, text: string): boolean {
  const expected = Buffer.from(`sha256=${createHmac("sha256", secret).update(text).digest("hex")}`);
  const actual = Buffer.from(given);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
