// What tests use of a provider of OpenID Connect. The package has no types of its own.
declare module "oidc-provider" {
  import type { IncomingMessage, ServerResponse } from "node:http";

  interface ProviderGrant {
    addOIDCScope(scope: string): void;
    save(): Promise<string>;
  }

  interface ProviderContext {
    readonly oidc: {
      readonly client?: { readonly clientId: string };
      readonly session?: { readonly accountId?: string };
      readonly provider: { Grant: new (of: { clientId: string; accountId: string }) => ProviderGrant };
    };
  }

  interface ProviderOptions {
    readonly [name: string]: unknown;
    readonly interactions: { url(context: ProviderContext, interaction: { readonly uid: string }): string };
    findAccount(context: ProviderContext, id: string): object | undefined;
    loadExistingGrant(context: ProviderContext): Promise<ProviderGrant>;
  }

  export class Provider {
    constructor(issuer: string, options: ProviderOptions);
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
