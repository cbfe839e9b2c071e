// All routes. Any other request is for a file of the page, or refused.

import type { WebHost } from "../host.ts";
import { conversationRoutes } from "./conversation.ts";
import { openApi, SESSION_STREAMS } from "./open-api.ts";
import type { Route } from "./route.ts";
import { sessionRoutes } from "./sessions.ts";
import { signInRoutes, type SignInParts } from "./sign-in.ts";

export interface TableParts extends SignInParts {
  readonly host: WebHost;
}

export function routeTable(parts: TableParts): readonly Route[] {
  const { host } = parts;
  const routes: Route[] = [
    {
      method: "GET",
      path: "/healthz",
      access: "anyone",
      summary: "Whether the server runs",
      reply: { type: "object", properties: { ok: { type: "boolean" } } },
      run: () => ({ json: { ok: true } }),
    },
    {
      method: "GET",
      path: "/v1/server",
      access: "viewer",
      summary: "Facts about the server and this device",
      reply: {
        type: "object",
        properties: {
          version: { type: "string" },
          cwd: { type: "string" },
          role: { type: "string", enum: ["viewer", "driver"] },
          device: { type: "string" },
        },
      },
      run: ({ device }) => ({
        json: { version: host.version, cwd: host.cwd, role: device.role, device: device.id },
      }),
    },
    {
      method: "GET",
      path: "/v1/openapi.json",
      access: "viewer",
      summary: "This description of the API",
      reply: { type: "object", additionalProperties: true },
      run: () => ({ json: openApi({ routes, description: "Sessions of one user.", streams: SESSION_STREAMS }) }),
    },
    ...signInRoutes(parts),
    ...sessionRoutes(host),
    ...conversationRoutes(host),
  ];
  return routes;
}
