// Runs a peer on stdio: `old`, `new` (both protocols), or `new-only` (no `initialize`).

import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { newPeer } from "./new-peer.ts";
import { oldPeer } from "./old-peer.ts";

const kind = process.argv[2];
if (kind === "old") await oldPeer().connect(new StdioServerTransport());
else serveStdio(newPeer, { legacy: kind === "new-only" ? "reject" : "serve" });
