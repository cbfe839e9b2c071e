// A provider of OpenID Connect: the real one of the package `oidc-provider`, where whoever comes is the account that the test has named.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export interface TestProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Who signs in next. Undefined: they cancel. */
  account: ProviderAccount | undefined;
}

export interface ProviderAccount {
  readonly id: string;
  readonly name: string;
  readonly groups?: readonly string[];
}

export const CLIENT = { id: "keelson", secret: "a secret that only the two know" };

/** `redirectUri`: of the server that sends people here. */
export async function startProvider(redirectUri: () => string): Promise<TestProvider> {
  const accounts = new Map<string, ProviderAccount>();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state: TestProvider = {
    issuer,
    account: undefined,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  let provider: Provider | undefined;
  /** The address of the client is not known before the server runs. */
  const started = () =>
    (provider ??= new Provider(issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [redirectUri()],
        },
      ],
      claims: { openid: ["sub"], profile: ["name"], email: ["email"], groups: ["groups"] },
      scopes: ["openid", "profile", "email", "groups"],
      pkce: { required: () => true },
      cookies: { keys: ["only for this test"] },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` },
      findAccount: (_, id) => {
        const account = accounts.get(id);
        return account && { accountId: id, claims: async () => ({ sub: id, ...account, id: undefined }) };
      },
      async loadExistingGrant(context) {
        const { client, session, provider: own } = context.oidc;
        const grant = new own.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
        grant.addOIDCScope("openid profile email groups");
        await grant.save();
        return grant;
      },
    }));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!request.url!.startsWith("/interaction/")) return void started().callback()(request, response);
    const { account } = state;
    if (account) accounts.set(account.id, account);
    await started().interactionFinished(
      request,
      response,
      account
        ? { login: { accountId: account.id, remember: false } }
        : { error: "access_denied", error_description: "The person said no" },
    );
  }
  return state;
}

/** Like a browser that follows the provider until it leads back: the address there. */
export async function followBack(url: string, redirectUri: string): Promise<URL> {
  const cookies = new Map<string, string>();
  for (let at = new URL(url), steps = 0; steps < 10; steps++) {
    if (at.href.startsWith(redirectUri)) return at;
    const response = await fetch(at, {
      redirect: "manual",
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
      if (value === "") cookies.delete(name!);
      else cookies.set(name!, value!);
    }
    const next = response.headers.get("location");
    if (next === null) throw new Error(`${at.href}: ${response.status} ${await response.text()}`);
    at = new URL(next, at);
  }
  throw new Error("The provider leads nowhere");
}
