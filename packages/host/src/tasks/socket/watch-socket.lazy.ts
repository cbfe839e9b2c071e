// Lazy twin of watch-socket.ts: few sessions listen to a WebSocket.

import type * as Module from "./watch-socket.ts";

export const watchSocket: typeof Module.watchSocket = async (options) =>
  (await import("./watch-socket.ts")).watchSocket(options);
