// The page in the browser for the sessions of this terminal: the same server as that of `keelson web`, in this process, so that
// it ends with the terminal. Loaded when it is asked for.

import type { Flags } from "@keelson/config";
import { pageFiles, serveWeb, type WebServer } from "@keelson/web";
import type { PageLink } from "@keelson/tui";
import { renderUnicodeCompact } from "uqr";
import { createWebHost, type ProgramWebHost } from "../../commands/web/host.ts";
import { serveOnFreePort, whyNotServed } from "../../commands/web/free-port.ts";
import type { ProcessIO } from "../../process/process-io.ts";

export interface TerminalPageOptions {
  readonly io: ProcessIO;
  /** Of the command line. */
  readonly flags: Flags;
  warn(text: string): void;
}

interface Serving {
  readonly server: WebServer;
  readonly host: ProgramWebHost;
  readonly proxy: string | undefined;
}

const HOST = "127.0.0.1";

export class TerminalPage {
  readonly #options: TerminalPageOptions;
  #serving: Serving | undefined;

  constructor(options: TerminalPageOptions) {
    this.#options = options;
  }

  /** Rejects with an error for the user. */
  async link(session: string, proxy: string | undefined): Promise<PageLink> {
    if (proxy !== undefined && !URL.canParse(proxy)) throw new Error(`"${proxy}" is not an address; use https://…`);
    if (this.#serving === undefined || this.#serving.proxy !== proxy) {
      const serving = await this.#serve(proxy);
      await this.#stop();
      this.#serving = serving;
    }
    const { server } = this.#serving;
    const link = server.link(session);
    const qr = renderUnicodeCompact(link, { border: 1 }).split("\n");
    return { link, qr, listens: `${HOST}:${server.port}` };
  }

  async close(): Promise<void> {
    if (this.#serving === undefined) return;
    await this.#stop();
    await (await this.#options.io.sessions()).close("terminate");
  }

  async #serve(proxy: string | undefined): Promise<Serving> {
    const { io, flags, warn } = this.#options;
    const sessions = await io.sessions();
    const host = createWebHost({ io, flags: forOthers(flags), debug: undefined, sessions, warn });
    const where = { host: HOST, page: pageFiles, ...(proxy === undefined ? {} : { behindProxy: new URL(proxy) }) };
    try {
      return { server: serveOnFreePort((port) => serveWeb(host, { ...where, port }), undefined), host, proxy };
    } catch (error) {
      host.close();
      throw new Error(whyNotServed(error, undefined));
    }
  }

  async #stop(): Promise<void> {
    const serving = this.#serving;
    this.#serving = undefined;
    await serving?.server.close();
    serving?.host.close();
  }
}

/** What this terminal was allowed counts for its own session; what it was denied, and its settings, for those of the page, too. */
function forOthers({ settings, settingSources, managedSettings, disallowedTools, safe, restricted }: Flags): Flags {
  const all = { settings, settingSources, managedSettings, disallowedTools, safe, restricted };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
