// Signing in and out, and the list of devices.

import type { SignInCodes } from "../devices/codes.ts";
import { CODE_MS } from "../devices/codes.ts";
import type { SignedDevice, SignedDevices } from "../devices/devices.ts";
import { RateLimit } from "../door/limits.ts";
import { HttpRefusal } from "../door/refusal.ts";
import type { Route, FieldSchema } from "./route.ts";

export interface SignInParts {
  readonly devices: SignedDevices;
  readonly codes: SignInCodes;
  now(): number;
}

const HOUR_MS = 60 * 60_000;
const MAX_ATTEMPTS = 20;

const DEVICE: FieldSchema = {
  type: "object",
  properties: {
    id: { type: "string" },
    name: { type: "string" },
    role: { type: "string", enum: ["viewer", "driver"] },
    created_ms: { type: "integer" },
    seen_ms: { type: "integer" },
    remembered: { type: "boolean" },
    current: { type: "boolean", description: "It is the device that asks." },
  },
};
const ROLE: FieldSchema = { type: "string", enum: ["viewer", "driver"], description: "A viewer only watches." };

export function signInRoutes({ devices, codes, now }: SignInParts): readonly Route[] {
  const failed = new RateLimit(MAX_ATTEMPTS, HOUR_MS, now);
  return [
    {
      method: "POST",
      path: "/v1/auth/code",
      access: "anyone",
      summary: "Sign a device in with a one-time code",
      body: {
        type: "object",
        required: ["code"],
        properties: {
          code: { type: "string", maxLength: 100 },
          name: { type: "string", maxLength: 60, description: "Its name in the list of devices." },
          remember: { type: "boolean", description: "Stay signed in for 30 days, also when the browser is closed." },
        },
      },
      reply: {
        type: "object",
        properties: {
          token: { type: "string" },
          device: DEVICE,
          session: { type: "string", description: "The session for which the code was made, if it was for one." },
        },
      },
      errors: [401],
      async run({ body, from }) {
        const waitSeconds = failed.wait(from);
        if (waitSeconds > 0)
          throw new HttpRefusal("rate_limit", "Too many devices tried to sign in; try again later", {
            "Retry-After": String(waitSeconds),
          });
        const grant = codes.use(String(body["code"]));
        if (grant === undefined) {
          failed.count(from);
          throw new HttpRefusal("authentication", "The link was used before or is older than a minute; get a new one");
        }
        const name = printable(String(body["name"] ?? "")) || "A browser";
        const { device, token } = await devices.add({ name, role: grant.role, remembered: body["remember"] === true });
        const session = grant.session === undefined ? {} : { session: grant.session };
        return { json: { token, device: shown(device, device.id), ...session } };
      },
    },
    {
      method: "POST",
      path: "/v1/auth/logout",
      access: "viewer",
      summary: "Sign this device out",
      body: { type: "object" },
      reply: { type: "null" },
      status: 204,
      async run({ device }) {
        await devices.remove(device.id);
        return {};
      },
    },
    {
      method: "GET",
      path: "/v1/devices",
      access: "viewer",
      summary: "The devices that are signed in",
      reply: { type: "object", properties: { data: { type: "array", items: DEVICE }, next_cursor: { type: "null" } } },
      run: ({ device }) => ({
        json: { data: devices.all.map((each) => shown(each, device.id)), next_cursor: null },
      }),
    },
    {
      method: "POST",
      path: "/v1/devices",
      access: "driver",
      summary: "Make a code that signs another device in, within a minute",
      body: { type: "object", properties: { role: ROLE } },
      reply: { type: "object", properties: { code: { type: "string" }, expires_ms: { type: "integer" } } },
      run: ({ body }) => ({
        json: {
          code: codes.make({ role: body["role"] === "viewer" ? "viewer" : "driver" }),
          expires_ms: now() + CODE_MS,
        },
      }),
    },
    {
      method: "DELETE",
      path: "/v1/devices/{id}",
      access: "driver",
      summary: "Sign a device out",
      reply: { type: "null" },
      status: 204,
      errors: [404],
      async run({ params }) {
        if (!(await devices.remove(params["id"]!))) throw new HttpRefusal("not_found", "There is no such device");
        return {};
      },
    },
  ];
}

const shown = ({ id, name, role, createdMs, seenMs, remembered }: SignedDevice, current: string) => ({
  id,
  name,
  role,
  created_ms: createdMs,
  seen_ms: seenMs,
  remembered,
  current: id === current,
});

/** Without control and direction characters: the name is shown on other devices. */
const printable = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, " ").trim();
