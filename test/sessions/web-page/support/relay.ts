// A stand-in for a proxy that passes everything on as it is, and whose connections can be cut.

import { connect, createServer, type Socket } from "node:net";

export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** Where connections lead from now on. */
  lead(port: number): void;
  /** Ends all connections. */
  cut(): void;
  /** From now on nothing gets through, and no connection ends: also new ones are taken. */
  swallow(): void;
  /** New connections get through again; those that were swallowed stay so. */
  pass(): void;
}

export async function startRelay(): Promise<Relay> {
  const open = new Set<Socket>();
  let target = 0;
  let isSwallowing = false;
  const server = createServer((incoming) => {
    if (isSwallowing) {
      open.add(incoming);
      incoming.on("error", () => undefined);
      return void incoming.resume();
    }
    const outgoing = connect(target, "127.0.0.1");
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    lead: (port) => void (target = port),
    cut,
    swallow() {
      isSwallowing = true;
      for (const socket of open) socket.unpipe().resume();
    },
    pass: () => void (isSwallowing = false),
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
