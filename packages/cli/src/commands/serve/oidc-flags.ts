// Where people may sign in besides with passkeys, from the flags of keelson serve.

import type { OidcSettings } from "@keelson/routines";
import type { Arguments } from "../../args/args.ts";

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
const ROLES = ["viewer", "member", "admin"] as const;

/** Undefined: there is no provider. Throws if something is missing or wrong; the message is for people. */
export function readOidc(
  given: Arguments,
  env: Readonly<Record<string, string | undefined>>,
): OidcSettings | undefined {
  const issuer = given.text("oidc-issuer");
  const clientId = given.text("oidc-client");
  const pairs = given.list("oidc-role") ?? [];
  if (issuer === undefined) {
    const other = ["oidc-client", "oidc-role", "oidc-groups", "oidc-scopes"].find((name) => given.has(name));
    if (other !== undefined) throw new Error(`--${other} needs --oidc-issuer, the address of the provider`);
    return undefined;
  }
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url?.protocol !== "https:" && !(url?.protocol === "http:" && LOOPBACK.test(url.hostname)))
    throw new Error(`--oidc-issuer: "${issuer}" must begin with https://, or others could read who signs in`);
  if (clientId === undefined) throw new Error("--oidc-issuer needs --oidc-client, the id that the provider gave");
  if (pairs.length === 0)
    throw new Error("--oidc-issuer needs --oidc-role GROUP=ROLE, or *=viewer to let in everybody who has an account");
  const scopes = given.text("oidc-scopes") ?? "openid profile email";
  if (!scopes.split(" ").includes("openid")) throw new Error('--oidc-scopes: "openid" must be one of them');
  return {
    issuer: url,
    clientId,
    clientSecret: env["KEELSON_OIDC_SECRET"] || undefined,
    scopes,
    groupsClaim: given.text("oidc-groups") ?? "groups",
    roles: pairs.map((pair) => {
      const [, group, name] = /^(.+)=(\w+)$/.exec(pair) ?? [];
      const role = ROLES.find((each) => each === name);
      if (group === undefined || role === undefined)
        throw new Error(`--oidc-role: "${pair}" must be GROUP=ROLE, with the role viewer, member or admin`);
      return { group, role };
    }),
  };
}
