// A server that offers a store to workers over HTTP, behind the door that every request passes.

import { allowedOrigins } from "../../../packages/web/src/door/origins.ts";
import { createDoor } from "../../../packages/web/src/door/door.ts";
import { workerRoutes } from "../../../packages/routines/src/store/http/routes.ts";
import type { RunStore } from "../../../packages/routines/src/store/run-store.ts";

export const WORKER_TOKEN = "worker-token-of-a-test-0123456789";

export interface WorkerServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
}

/** `before` sees each request first, and may answer in its place. `after` may lose the answer. */
export function serveWorkers(
  store: RunStore,
  { port = 0, lose = () => false }: { readonly port?: number; lose?(path: string): boolean } = {},
): WorkerServer {
  const ending = new AbortController();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port,
    idleTimeout: 60,
    maxRequestBodySize: 64 * 1024 * 1024,
    async fetch(request) {
      const connection = {
        from: "127.0.0.1",
        isCommand: () => false,
        upgrade: () => false,
        patient: () => () => undefined,
      };
      const response = await door(request, connection);
      return lose(new URL(request.url).pathname)
        ? new Response("The answer was lost", { status: 502 })
        : (response ?? new Response(null, { status: 500 }));
    },
  });
  const own = server.port ?? port;
  const door = createDoor({
    origins: allowedOrigins({ host: "127.0.0.1", port: own }),
    devices: { holder: () => undefined },
    routes: workerRoutes({ store, admits: async (token) => token === WORKER_TOKEN, signal: ending.signal }),
    page: async () => ({}),
    now: Date.now,
    failed: (error) => console.error(error),
  });
  return {
    url: `http://127.0.0.1:${own}`,
    port: own,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await server.stop(true);
    },
  };
}
