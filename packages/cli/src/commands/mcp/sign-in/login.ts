// keelson mcp login: signs in to a remote MCP server in the browser, or with a redirect address pasted by the user.

import type { Snapshot } from "@keelson/config";
import { UsageError } from "../../../args/invocation.ts";
import { printError } from "../../../process/process-io.ts";
import { snapshotFor, type Invoked } from "../../group.ts";
import { visible } from "../../permissions/words.ts";
import { createLines, type TypedLines } from "./typed-lines.ts";
import { remoteServer, type RemoteServer } from "./remote-server.ts";

/** No one needs longer, and the port is closed afterwards. */
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
  const { signInStorage } = await import("@keelson/runtime/mcp-sign-in");
  const storage = signInStorage(snapshot);
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
        const timer = setTimeout(() => cancel("The sign-in was not completed within 10 minutes; try again"), WAIT_MS);
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

async function openListener({ server, config }: RemoteServer, snapshot: Snapshot, state: string) {
  const { openRedirect } = await import("@keelson/runtime/mcp-sign-in");
  try {
    return await openRedirect({ server, oauth: config.oauth, snapshot, state });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
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
  const { pastedRedirect } = await import("@keelson/runtime/mcp-sign-in");
  for (let line = await lines.next(); line !== undefined; line = await lines.next()) {
    const redirect = pastedRedirect(line, state);
    if (redirect) return redirect;
  }
  return new Promise(() => undefined);
}
