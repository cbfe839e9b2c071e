// keelson web: all sessions of the user on a page in the browser.

import type { Flag } from "../../args/flags.ts";
import { toFlags, UsageError } from "../../args/invocation.ts";
import { optionLines } from "../export/export.ts";
import { sharedFlags, withShared } from "../group-flags.ts";
import type { SessionsHere } from "../../open.ts";
import { printError, type ProcessIO } from "../../process/process-io.ts";
import { handleSignals } from "../../process/signals.ts";
import { SERVED_FLAGS, servedDebug, withOwnState } from "../served-sessions.ts";
import { readSingleCommand } from "../single-command.ts";
import { serveOnFreePort, whyNotServed } from "./free-port.ts";

export const WEB_OWN_FLAGS: readonly Flag[] = [
  {
    name: "port",
    value: { kind: "integer", label: "number", least: 0 },
    group: "Other",
    help: "The port to listen on (default 4600, or the next free one; 0: any)",
  },
  {
    name: "host",
    value: { kind: "text", label: "address" },
    group: "Other",
    help: "The local address to listen on (default 127.0.0.1)",
  },
  {
    name: "behind-proxy",
    value: { kind: "text", label: "url" },
    group: "Other",
    help: "The address of the page behind a TLS proxy: https://example.org/keelson",
  },
  { name: "no-open", value: { kind: "none" }, group: "Other", help: "Print the link without opening a browser" },
  { name: "qr", value: { kind: "none" }, group: "Other", help: "Also print the link as a QR code" },
];

/** What applies to every session that the page opens. */
export const WEB_FLAGS = withShared(WEB_OWN_FLAGS, ...SERVED_FLAGS);

const USAGE = `Usage: keelson web [options]

Serve a page that shows all sessions, to continue them in a browser on any device. The printed link
works once, within a minute, and signs one device in; press Enter for another link. The other
options apply to every session that the page opens. To reach the page from elsewhere, see
docs/web-page.md.

Options:
${optionLines(WEB_OWN_FLAGS)}

${sharedFlags(WEB_FLAGS, WEB_OWN_FLAGS)}
`;

const MAX_PORT = 65_535;

export async function runWeb(argv: readonly string[], own: ProcessIO): Promise<number> {
  const io = await withOwnState(own);
  const command = { name: "web", flags: WEB_FLAGS, usage: USAGE, synopsis: "usage: keelson web [options]", words: 0 };
  const given = await readSingleCommand(command, argv, io);
  if (typeof given === "number") return given;
  const proxy = given.text("behind-proxy");
  if (proxy !== undefined && !URL.canParse(proxy))
    return printError(io, `--behind-proxy: "${proxy}" is not a URL; use https://…`);
  const port = given.number("port");
  if (port !== undefined && port > MAX_PORT)
    return printError(io, `--port: "${port}" is not a port; use 0 to ${MAX_PORT}`);
  let flags;
  try {
    flags = toFlags(given, io.cwd);
  } catch (error) {
    if (error instanceof UsageError) return printError(io, error.message);
    throw error;
  }
  const { pageFiles, serveWeb } = await import("@keelson/web");
  const { createWebHost } = await import("./host.ts");
  const debug = await servedDebug(given, io);
  const sessions = await io.sessions();
  const host = createWebHost({ io, flags, debug, sessions });
  const where = {
    host: given.text("host") ?? "127.0.0.1",
    ...(proxy === undefined ? {} : { behindProxy: new URL(proxy) }),
    page: pageFiles,
  };
  let server: ReturnType<typeof serveWeb> | undefined;
  try {
    server = serveOnFreePort((tried) => serveWeb(host, { ...where, port: tried }), port);
  } catch (error) {
    host.close();
    return printError(io, whyNotServed(error, port));
  }
  const ended = Promise.withResolvers<void>();
  const { close } = server;
  const signals = handleSignals(io, { calm: false });
  signals.watchOver({
    async close(reason) {
      const said = whatEnds(sessions);
      if (said !== "") await io.write(said);
      await close();
      await sessions.close(reason);
      ended.resolve();
    },
  });
  const print = async (link: string) => {
    if (given.has("qr")) await io.write(`\n${(await import("uqr")).renderUnicodeCompact(link, { border: 1 })}\n`);
    await io.write(`${link}\n`);
  };
  const behind = proxy === undefined ? "" : `, for a proxy at ${where.host}:${server.port}`;
  await io.write(
    `Keelson is at ${server.address}${behind}\nThis link works once, within a minute, and signs one device in:\n\n`,
  );
  await print(server.link());
  await io.write("\n");
  const reach = toReach(io.env, { server, isBehindProxy: proxy !== undefined, isForPhone: given.has("qr") });
  if (reach !== undefined) await io.write(`${reach}\n`);
  if (!given.has("no-open") && io.terminal.stdout && (await host.showInBrowser(server.address)))
    await io.write("The page opens in your browser. If it asks for the link, paste it there.\n");
  if (io.terminal.stdin) {
    await io.write("Press Enter for another link, Ctrl+C to stop.\n");
    const { link: another } = server;
    void (async () => {
      for await (const _ of io.stdin()) await print(another());
    })().catch(() => undefined);
  }
  await ended.promise;
  host.close();
  signals.stop();
  return signals.code() ?? 0;
}

/** What stops with the server. Sessions that other programs have open go on. */
function whatEnds(sessions: SessionsHere): string {
  const open = sessions.all();
  const working = open.filter(({ state }) => state !== "idle");
  const named = working.slice(0, MOST_NAMED).map(({ id, title = "" }) => `  ${title || "A session"}: ${id}\n`);
  const more = working.length > MOST_NAMED ? `  and ${working.length - MOST_NAMED} more\n` : "";
  if (working.length === 0) return "";
  const what = working.length === 1 ? "this run is interrupted" : `these ${working.length} runs are interrupted`;
  return `Stopping; ${what}. To continue, run keelson --resume, or keelson web again.\n${named.join("")}${more}`;
}

const MOST_NAMED = 10;

interface Reach {
  readonly isBehindProxy: boolean;
  /** The link will be used on another device. */
  readonly isForPhone: boolean;
  readonly server: { readonly address: string; readonly port: number };
}

/** What to do where the link leads nowhere, because the browser is on another machine. */
function toReach(env: ProcessIO["env"], { server, isBehindProxy, isForPhone }: Reach): string | undefined {
  if (isBehindProxy) return undefined;
  const { address, port } = server;
  if (env["SSH_CONNECTION"])
    return `To open the link on your own machine, run there: ssh -L ${port}:${new URL(address).hostname}:${port} THIS-MACHINE`;
  if (isForPhone)
    return "The link works on this machine only. For other devices, see --behind-proxy in docs/web-page.md.";
  return undefined;
}
