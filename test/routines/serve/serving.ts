// A server as people start it, with a token of its own, and requests to it.

import { join } from "node:path";
import { runKeelson, startKeelson, type MockModel, type TemporaryHome } from "@keelson/testkit";

export interface Serving extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly program: ReturnType<typeof startKeelson>;
  call(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly json: any;
  readonly headers: Headers;
}

export interface ServingOptions {
  readonly home: TemporaryHome;
  readonly model?: MockModel;
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  /** Default: any. */
  readonly port?: number;
}

export async function tokenFor(home: TemporaryHome, name: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runKeelson(["serve", "token", name, ...args], { home });
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

export async function serving({ home, model, args = [], env = {}, port = 0 }: ServingOptions): Promise<Serving> {
  const token = await tokenFor(home, "tests");
  const program = startKeelson(
    ["serve", "--port", String(port), "--workers", "1", "--folder", join(home.root, "w"), ...args],
    {
      home,
      env,
      ...(model ? { url: model.url } : {}),
    },
  );
  const { text } = await program.waitForLine((_, line) => line.text.startsWith("Routines are at"));
  const url = /https?:\S+/.exec(text)![0];
  return {
    url,
    token,
    program,
    call: (method, path, body, headers) => request(url, token, method, path, body, headers),
    async [Symbol.asyncDispose]() {
      program.kill("SIGTERM");
      await program.done;
    },
  };
}

/** For a server that prints the address of a proxy instead. */
export async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return port!;
}

export async function request(
  url: string,
  token: string,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, json: text === "" ? undefined : JSON.parse(text), headers: response.headers };
}

/** The file that the server keeps everything in. */
export const databaseIn = (home: TemporaryHome) => join(home.home, ".claude", "keelson-serve", "routines.db");
