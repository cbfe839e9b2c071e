// keelson mcp login: signs in to a remote MCP server in the browser, or with a redirect address pasted by the user.

import type { Snapshot } from "@keelson/config";
import { UsageError } from "../../args/invocation.ts";
import { printError } from "../../process-io.ts";
import { snapshotFor, type Invoked } from "../group.ts";
import { visible } from "../permissions/words.ts";
import { createLines, type TypedLines } from "./typed-lines.ts";
import { remoteServer, signInStorage, type RemoteServer } from "./remote-server.ts";

/** Nobody needs longer, and the port is closed afterwards. */
const WAIT_MS = 10 * 60 * 1_000;

export async function login(call: Invoked): Promise<number> {
  const { io, given } = call;
  const [name, ...more] = call.words;
  if (name === undefined || more.length > 0) throw new UsageError("usage: keelson mcp login <name> [--no-browser]");
  const snapshot = await snapshotFor(call);
  const remote = remoteServer(name, snapshot);
  const { server, config } = remote;
  if (new Headers(config.headers).has("authorization")) {
    throw new UsageError(`MCP server "${visible(name)}" has an Authorization header; remove it to sign in instead`);
  }
  // 30 ms, only to sign in.
  const { signIn, SignInError } = await import("@keelson/mcp/sign-in");
  const { networkFetch } = await import("@keelson/model");
  const storage = await signInStorage(snapshot);
  const state = crypto.randomUUID();
  using lines = createLines(io);
  const clientSecret = await secretFor(call, remote, lines);
  await using listener = await openListener(remote, snapshot, state);
  try {
    const { scope } = await signIn({
      ...config,
      ...server,
      storage,
      state,
      redirectUrl: listener.redirectUrl,
      fetch: networkFetch(snapshot.env),
      ...(clientSecret === undefined ? {} : { clientSecret }),
      async authorize(url) {
        const opened = !given.has("no-browser") && (await openInBrowser(url, snapshot));
        const { promise: cancelled, reject } = Promise.withResolvers<never>();
        const cancel = (message: string) => reject(new SignInError(message));
        const stopListening = io.onSignal("SIGINT", () => cancel("The sign-in was cancelled"));
        const timer = setTimeout(() => cancel("Nobody signed in within 10 minutes; try again"), WAIT_MS);
        try {
          await io.write(opened ? waiting(url) : instructions(url, listener.redirectUrl));
          return await Promise.race([listener.received, cancelled, ...(opened ? [] : [pasted(lines, state)])]);
        } finally {
          clearTimeout(timer);
          stopListening();
        }
      },
    });
    await io.write(`Signed in to "${visible(name)}"${scope === undefined ? "" : ` (scope: ${visible(scope)})`}\n`);
    return 0;
  } catch (error) {
    if (error instanceof SignInError) return printError(io, error.message);
    throw error;
  }
}

const waiting = (url: URL) =>
  `Opening your browser to sign in at ${url.host}. If it does not open, go to:\n\n  ${url.href}\n\nWaiting for the sign-in...\n`;

const instructions = (url: URL, redirectUrl: string) =>
  `To sign in at ${url.host}, open this address in a browser:\n\n  ${url.href}\n
At the end the browser goes to ${redirectUrl}. If it cannot open that page,
paste its whole address here, or only the code in it: `;

async function openInBrowser(url: URL, { childEnv, origin }: Snapshot): Promise<boolean> {
  const { openBrowser } = await import("@keelson/host/secrets");
  return openBrowser(url, { env: childEnv, platform: origin.platform });
}

/** A configured port must be free; otherwise the last one is tried, because the client is registered with it. */
async function openListener({ server, config }: RemoteServer, snapshot: Snapshot, state: string) {
  const { listenForRedirect } = await import("@keelson/host/secrets");
  const { lastRedirect } = await import("@keelson/mcp/sign-in");
  const wanted = config.oauth?.callbackPort ?? portIn(snapshot.env["MCP_OAUTH_CALLBACK_PORT"]);
  const last = wanted === undefined ? await lastRedirect((await signInStorage(snapshot)).tokens, server) : undefined;
  const port = wanted ?? portIn(last?.port);
  try {
    return listenForRedirect({ state, ...(port === undefined ? {} : { port }) });
  } catch {
    if (wanted === undefined) return listenForRedirect({ state });
    throw new UsageError(`port ${wanted} is in use; free it, or change oauth.callbackPort`);
  }
}

function portIn(text: string | undefined): number | undefined {
  const port = Number(text);
  return text !== undefined && Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

/** Only for a client that the configuration names. */
async function secretFor(
  { io, given }: Invoked,
  { config }: RemoteServer,
  lines: TypedLines,
): Promise<string | undefined> {
  const { isDocumentUrl } = await import("@keelson/mcp/sign-in");
  const clientId = config.oauth?.clientId;
  if (clientId === undefined || isDocumentUrl(clientId)) return undefined;
  const known = io.env["MCP_CLIENT_SECRET"];
  if (known || !given.has("client-secret")) return known || undefined;
  const { hideInput } = await import("@keelson/host/secrets");
  await io.write(`Client secret of "${visible(clientId)}": `);
  using hidden = hideInput();
  const stopListening = io.onSignal("SIGINT", () => {
    hidden[Symbol.dispose]();
    io.exit(130);
  });
  const typed = (await lines.next())?.trim();
  stopListening();
  await io.write("\n");
  if (!typed) throw new UsageError("no client secret was given; type it, or set MCP_CLIENT_SECRET");
  return typed;
}

/** The redirect address, or the code alone. Other lines are ignored. Never resolves if the input ends. */
async function pasted(lines: TypedLines, state: string): Promise<URLSearchParams> {
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
    const text = line.trim();
    const url = URL.parse(text);
    if (url?.protocol === "http:" || url?.protocol === "https:") return url.searchParams;
    if (/^\S{4,4000}$/.test(text)) return new URLSearchParams({ code: text, state });
  }
  return new Promise(() => undefined);
}
