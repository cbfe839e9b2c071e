// Vertex AI as a server to ask: credentials and places from the variables.

import type { Env } from "../profiles/profiles.ts";
import type { Server } from "../http/server.ts";
import { googleCredentials, type GoogleOutside } from "./google-credentials.ts";
import { vertexPlace } from "./place.ts";

export interface VertexOptions extends Omit<
  Server,
  "provider" | "baseUrl" | "addressFrom" | "credentials" | "placeOf"
> {
  readonly outside: GoogleOutside;
  /** Of the settings; takes precedence over variables. */
  readonly baseUrl?: string;
}

export function vertexServer(env: Env, { outside, baseUrl, ...rest }: VertexOptions): Server {
  return {
    ...rest,
    provider: "vertex",
    // Without one for everything, every model has its own.
    baseUrl: baseUrl?.trim().replace(/\/+$/, "") ?? "",
    addressFrom: "CLOUD_ML_REGION",
    credentials: googleCredentials(env, outside),
    placeOf: (model) => vertexPlace(env, model),
  };
}
