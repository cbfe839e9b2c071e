// How web tools reach the network: the proxy and the trusted certificates that the model's requests use. The client
// certificate is for the model's server only.

import type { Snapshot } from "@keelson/config";
import type { WebNetwork } from "@keelson/host/web";
import { fetchOptionsFrom } from "@keelson/model";

/** The variables may change during a session. */
export function sessionNetwork(env: () => Snapshot["env"]): (url: URL) => Promise<WebNetwork> {
  let known: { readonly env: Snapshot["env"]; readonly optionsFor: ReturnType<typeof fetchOptionsFrom> } | undefined;
  return async (url) => {
    const current = env();
    if (known?.env !== current) known = { env: current, optionsFor: fetchOptionsFrom(current) };
    const { proxy, tls } = await known!.optionsFor(url);
    const address = typeof proxy === "object" && "url" in proxy ? proxy.url : proxy;
    const ca = tls && "ca" in tls ? (tls.ca as readonly string[] | undefined) : undefined;
    return { ...(address ? { proxy: String(address) } : {}), ...(ca ? { ca } : {}) };
  };
}
