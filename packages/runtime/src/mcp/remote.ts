// Transports to remote servers, with the session's proxies, certificates, header helpers and sign-ins. Loaded with the
// first remote server, because the official transports take tens of milliseconds to load.

import { createHookProcesses, hookEnvironment, type HookProcesses } from "@keelson/host/hooks";
import { remoteTransport } from "@keelson/mcp/remote";
import type { Transport } from "@keelson/mcp";
import { fetchOptionsFrom } from "@keelson/model/network";
import type { ConfiguredMcpServer, McpProxyConfig, McpRemoteConfig } from "@keelson/protocol";
import type { Storage } from "../session/storage.ts";

const HELPER_MS = 10_000;

export class RemoteTransports {
  readonly #storage: Storage;
  readonly #fetchOptions: ReturnType<typeof fetchOptionsFrom>;
  #helpers: HookProcesses | undefined;

  constructor(storage: Storage) {
    this.#storage = storage;
    this.#fetchOptions = fetchOptionsFrom(storage.state.snapshot.env);
  }

  to({ name }: ConfiguredMcpServer, config: McpRemoteConfig | McpProxyConfig): Transport {
    const remote: McpRemoteConfig =
      config.type === "claudeai-proxy" ? { type: "http", url: config.url, headers: {} } : config;
    return remoteTransport(remote as McpRemoteConfig & { type: "http" | "sse" }, {
      name,
      fetch: async (url, init) => fetch(url, { ...init, ...(await this.#fetchOptions(new URL(url))) }),
      runHelper: (command, env, signal) => this.#runHelper(command, env, signal),
    });
  }

  async close(): Promise<void> {
    await this.#helpers?.close();
  }

  #runHelper(command: string, env: Readonly<Record<string, string>>, signal: AbortSignal) {
    const { place, options, state } = this.#storage;
    const { cwd, childEnv } = state.snapshot;
    const own = hookEnvironment({ childEnv, sessionId: place.id, entrypoint: options.entrypoint, projectDir: cwd });
    return (this.#helpers ??= createHookProcesses()).run({ type: "command", command }, "{}", {
      cwd,
      env: { ...own, ...env },
      timeoutMs: HELPER_MS,
      signal,
    });
  }
}
