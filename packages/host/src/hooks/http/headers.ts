// The headers of an HTTP hook, with the allowed environment variables filled in.

import type { HttpHook } from "@keelson/protocol";

/**
 * Lowercases names. Fills in `$VAR` and `${VAR}` only if the handler lists the variable and, if there is a policy
 * (`permitted`), the policy does too; otherwise they become empty.
 */
export function hookHeaders(
  { headers = {}, allowedEnvVars = [] }: HttpHook,
  env: Readonly<Record<string, string | undefined>>,
  permitted?: readonly string[],
): Record<string, string> {
  const mayUse = (name: string) => allowedEnvVars.includes(name) && (permitted?.includes(name) ?? true);
  const valueOf = (name: string) => (mayUse(name) && Object.hasOwn(env, name) ? (env[name] ?? "") : "");
  const fill = (text: string) =>
    text.replace(VARIABLE, (_, braced?: string, bare?: string) => valueOf(braced ?? bare ?? ""));
  return Object.fromEntries(
    Object.entries({ "content-type": "application/json", ...lowerCaseNames(headers) })
      .filter(([name]) => !RESERVED.has(name) && !name.startsWith("proxy-"))
      // Strip after filling in: the value of a variable could also start another header.
      .map(([name, value]) => [name, fill(value).replace(/[\r\n\0]/g, "")]),
  );
}

const VARIABLE = /\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g;

// We set the target and the framing of the message ourselves.
const RESERVED = new Set([
  "host",
  "connection",
  "keep-alive",
  "content-length",
  "transfer-encoding",
  "te",
  "trailer",
  "upgrade",
  "expect",
]);

const lowerCaseNames = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
