// Stands between a client and a server on a socket, and can fall silent: the connections stay, and nothing arrives.

import { createConnection, createServer, type Socket } from "node:net";

export interface SilentProxy extends AsyncDisposable {
  readonly port: number;
  /** What the client says is swallowed. A connection that was silent once stays so: as after a network was cut. */
  isSilent: boolean;
  /** The next connection on which the client says this hears nothing more: what it asked for is done, and it does not know. */
  loseAnswerTo: string | undefined;
  /** Pieces that did not arrive at the server. */
  readonly swallowed: number;
}

export function silentProxy(path: string): SilentProxy {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = createConnection(path);
    let isCut = false;
    let isUnheard = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => sockets.delete(socket));
    }
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy());
    client.on("data", (piece) => {
      isCut ||= proxy.isSilent;
      if (isCut) proxy.swallowed++;
      else upstream.write(piece);
      if (proxy.loseAnswerTo === undefined || !piece.includes(proxy.loseAnswerTo)) return;
      isUnheard = true;
      proxy.loseAnswerTo = undefined;
    });
    upstream.on("data", (piece) => {
      if (!isCut && !isUnheard) client.write(piece);
    });
  });
  server.listen(0, "127.0.0.1");
  const address = server.address();
  const proxy = {
    port: typeof address === "object" && address !== null ? address.port : 0,
    isSilent: false,
    loseAnswerTo: undefined as string | undefined,
    swallowed: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}
