// Transports to remote servers, with the session's proxies, certificates, header helpers and sign-ins. Loaded with the
// first remote server, because the official transports take tens of milliseconds to load.

import { folderToAvoid } from "@keelson/config/governing";
import { createHookProcesses, headersHelper, hookEnvironment, type HookProcesses } from "@keelson/host/hooks";
import { ownEnvironment } from "@keelson/config";
import { openSecretStore, openSignInMemory } from "@keelson/host/secrets";
import { remoteHeaders, remoteTransport, type RunHeadersHelper } from "@keelson/mcp/remote";
import type { Transport } from "@keelson/mcp";
import type { SignInStorage } from "@keelson/mcp/sign-in";
import { networkFetch } from "@keelson/model";
import type { ConfiguredMcpServer, McpProxyConfig, McpRemoteConfig } from "@keelson/protocol";
import type { ConnectorOptions } from "./connector.ts";

const HELPER_MS = 10_000;

export class RemoteTransports {
  readonly #options: ConnectorOptions;
  readonly #fetch: ReturnType<typeof networkFetch>;
  readonly #signIn: SignInStorage;
  #helpers: HookProcesses | undefined;

  constructor(options: ConnectorOptions) {
    this.#options = options;
    const snapshot = options.snapshot();
    const { configDir, origin } = snapshot;
    this.#fetch = networkFetch(snapshot.env);
    const env = ownEnvironment(snapshot);
    this.#signIn = {
      tokens: openSecretStore({ configDir, env, platform: origin.platform }),
      needed: openSignInMemory(configDir),
    };
  }

  to({ name }: ConfiguredMcpServer, config: McpRemoteConfig | McpProxyConfig, isRetry: boolean): Transport {
    const remote: McpRemoteConfig =
      config.type === "claudeai-proxy" ? { type: "http", url: config.url, headers: {} } : config;
    return remoteTransport(remote as McpRemoteConfig & { type: "http" | "sse" }, {
      name,
      fetch: this.#fetch,
      signIn: this.#signIn,
      isRetry,
      runHelper: (...helper) => this.#runHelper(...helper),
    });
  }

  /** For transports that are not ours. */
  headers(name: string, config: McpRemoteConfig): Promise<Readonly<Record<string, string>>> {
    const runHelper: RunHeadersHelper = (...helper) => this.#runHelper(...helper);
    return remoteHeaders(config, { name, runHelper }, AbortSignal.timeout(HELPER_MS));
  }

  async close(): Promise<void> {
    await this.#helpers?.close();
  }

  #runHelper(...[command, variables, signal]: Parameters<RunHeadersHelper>) {
    const { snapshot, sessionId, entrypoint, programs } = this.#options;
    const { cwd, childEnv } = snapshot();
    const outside = folderToAvoid(snapshot(), "user");
    const env = hookEnvironment({ childEnv, sessionId, entrypoint, projectDir: cwd, outside });
    return headersHelper((this.#helpers ??= createHookProcesses(programs)), { cwd, env })(command, variables, signal);
  }
}
