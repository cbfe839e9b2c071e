// Transports to remote servers, with the session's proxies, certificates, header helpers and sign-ins. Loaded with the
// first remote server, because the official transports take tens of milliseconds to load.

import { createHookProcesses, hookEnvironment, type HookProcesses } from "@keelson/host/hooks";
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
    const { env, configDir, origin } = options.snapshot();
    this.#fetch = networkFetch(env);
    this.#signIn = {
      tokens: openSecretStore({ configDir, env, platform: origin.platform }),
      needed: openSignInMemory(configDir),
    };
  }

  to({ name }: ConfiguredMcpServer, config: McpRemoteConfig | McpProxyConfig): Transport {
    const remote: McpRemoteConfig =
      config.type === "claudeai-proxy" ? { type: "http", url: config.url, headers: {} } : config;
    return remoteTransport(remote as McpRemoteConfig & { type: "http" | "sse" }, {
      name,
      fetch: this.#fetch,
      signIn: this.#signIn,
      runHelper: (command, env, signal) => this.#runHelper(command, env, signal),
    });
  }

  /** For transports that are not ours. */
  headers(name: string, config: McpRemoteConfig): Promise<Readonly<Record<string, string>>> {
    const runHelper: RunHeadersHelper = (command, env, signal) => this.#runHelper(command, env, signal);
    return remoteHeaders(config, { name, runHelper }, AbortSignal.timeout(HELPER_MS));
  }

  async close(): Promise<void> {
    await this.#helpers?.close();
  }

  #runHelper(command: string, env: Readonly<Record<string, string>>, signal: AbortSignal) {
    const { snapshot, sessionId, entrypoint } = this.#options;
    const { cwd, childEnv } = snapshot();
    const own = hookEnvironment({ childEnv, sessionId, entrypoint, projectDir: cwd });
    return (this.#helpers ??= createHookProcesses()).run({ type: "command", command }, "{}", {
      cwd,
      env: { ...own, ...env },
      timeoutMs: HELPER_MS,
      signal,
    });
  }
}
