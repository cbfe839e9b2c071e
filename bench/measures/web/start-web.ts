// `keelson web` with a signed-in device, and the streams of its sessions.

import { connect, type Socket } from "node:net";
import type { Stage } from "../../stage.ts";

export interface StartedServer extends AsyncDisposable {
  readonly pid: number;
  readonly address: string;
  /** A link that signs one device in. */
  link(): Promise<string>;
  /** A new session. */
  begin(): Promise<string>;
  /** A page that reads. */
  open(session: string): Promise<ReadingPage>;
  /** A page that gets its first message and then reads no more. */
  stop(session: string): Promise<Disposable>;
}

export interface ReadingPage extends Disposable {
  /** Until the run is over. */
  answer(prompt: string): Promise<void>;
}

export async function startServer({ program, project, env }: Stage): Promise<StartedServer> {
  const allowed = ["--allowedTools", "Read"];
  const child = Bun.spawn([...program, "web", "--no-open", "--port", "0", ...allowed], {
    cwd: project,
    env: { ...env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const link = await firstLink(child.stdout);
  const address = link.slice(0, link.indexOf("/#"));
  const { token } = await post<{ token: string }>(address, "/v1/auth/code", {
    code: link.slice(link.indexOf("#code=") + "#code=".length),
    name: "A benchmark",
  });
  const protocols = ["keelson.v1", `bearer.${token}`];
  const stream = (session: string) => `/v1/sessions/${session}/stream`;
  return {
    pid: child.pid,
    address,
    link: async () => `${address}/#code=${(await post<{ code: string }>(address, "/v1/devices", {}, token)).code}`,
    begin: async () => (await post<{ id: string }>(address, "/v1/sessions", {}, token)).id,
    open: (session) => openPage(address.replace(/^http/, "ws") + stream(session), protocols, address),
    stop: (session) => openStopped(address, stream(session), protocols),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

function firstLink(output: ReadableStream<Uint8Array>): Promise<string> {
  const found = Promise.withResolvers<string>();
  void (async () => {
    const decoder = new TextDecoder();
    let said = "";
    // To the end: a server whose output is closed ends.
    for await (const bytes of output) {
      said += decoder.decode(bytes, { stream: true });
      const link = /http:\S+\/#code=\S+(?=\s)/.exec(said)?.[0];
      if (link !== undefined) found.resolve(link);
    }
    found.reject(new Error(`The server printed no link: ${said}`));
  })();
  return found.promise;
}

async function post<Body>(address: string, path: string, body: object, token?: string): Promise<Body> {
  const response = await fetch(address + path, {
    method: "POST",
    headers: {
      Origin: address,
      "Content-Type": "application/json",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Body;
}

async function openPage(url: string, protocols: readonly string[], origin: string): Promise<ReadingPage> {
  const socket = new WebSocket(url, { protocols: [...protocols], headers: { Origin: origin } } as never);
  let ended = Promise.withResolvers<void>();
  const greeted = Promise.withResolvers<void>();
  socket.addEventListener("message", ({ data }) => {
    greeted.resolve();
    if (String(data).includes('"m":{"type":"result"')) ended.resolve();
  });
  socket.addEventListener("close", () => ended.reject(new Error("The stream was closed")));
  await greeted.promise;
  return {
    async answer(prompt) {
      ended = Promise.withResolvers();
      const message = { role: "user", content: prompt };
      socket.send(JSON.stringify({ type: "user", message, parent_tool_use_id: null, uuid: crypto.randomUUID() }));
      await ended.promise;
    },
    [Symbol.dispose]() {
      ended.promise.catch(() => undefined);
      socket.close();
    },
  };
}

function openStopped(address: string, path: string, protocols: readonly string[]): Promise<Disposable> {
  const { hostname, port, host } = new URL(address);
  const head = [
    `GET ${path} HTTP/1.1`,
    `Host: ${host}`,
    `Origin: ${address}`,
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    `Sec-WebSocket-Protocol: ${protocols.join(", ")}`,
  ];
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(port), hostname, () => socket.write(`${head.join("\r\n")}\r\n\r\n`));
    socket.once("error", reject);
    let seen = "";
    socket.on("data", (bytes) => {
      seen += bytes.toString("latin1");
      if (!seen.includes('"hello"')) return;
      socket.pause();
      resolve({ [Symbol.dispose]: () => void socket.destroy() });
    });
  });
}
