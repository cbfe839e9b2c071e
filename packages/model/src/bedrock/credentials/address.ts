// The addresses of AWS's services.

import type { Env } from "../../profiles/profiles.ts";

/** The address of a service, unless the user set another one. */
export function serviceUrl(env: Env, service: string, standard: string): string {
  return env[`AWS_ENDPOINT_URL_${service}`]?.trim() || env["AWS_ENDPOINT_URL"]?.trim() || standard;
}

export function domainOf(region: string): string {
  return region.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
}
