// The stage of language servers: their tool, and what they say about edits. What does the work is loaded with the first
// question or the first edit of a file that has a server.

import type { Files, Tool, ToolContext } from "@keelson/engine";
import type { LanguageServerStatus } from "@keelson/host/lsp";
import type { NewEntry } from "@keelson/protocol";
import type { Gate } from "../gate/gate.ts";
import type { Machine } from "../machine/machine.ts";
import type { Storage } from "../session/storage.ts";
import type { SessionCode } from "./session-code.ts";

export interface LspStage {
  /** The LSP tool, if there is a server. */
  tools(): Promise<readonly Tool[]>;
  /** Resolves when no server is left. */
  close(): Promise<void>;
}

/** Whose files they are. */
export type CodeAuthor = Pick<ToolContext, "workspace" | "owner">;

/** What language servers have to do with the edits of an agent. */
export interface CodeWatch {
  /** Files that tell the language servers what is written. */
  wrap(files: Files, author: CodeAuthor): Files;
  /** New problems in files that this agent edited last; without an owner, those of the session itself. */
  takeNotices(owner?: string): readonly NewEntry[];
  /** The servers that were used. */
  status(): readonly LanguageServerStatus[];
}

export function openLsp(storage: Storage, machine: Machine, gate: Gate): LspStage {
  const { state } = storage;
  let loading: Promise<SessionCode> | undefined;
  let opened: SessionCode | undefined;
  let closed = false;
  const load = () =>
    (loading ??= (async () => {
      const [{ SessionCode }] = await Promise.all([import("./session-code.ts"), gate.warm()]);
      opened = new SessionCode(storage, machine, gate);
      return opened;
    })());
  const hasServers = () => state.snapshot.lsp.servers.length > 0;
  state.codeWatch = {
    wrap(files, author) {
      if (!hasServers()) return files;
      return {
        ...files,
        write: async (path, bytes) =>
          closed ? files.write(path, bytes) : (await load()).write(files, path, bytes, author),
      };
    },
    takeNotices: (owner) => opened?.takeNotices(owner) ?? [],
    status: () => opened?.status() ?? [],
  };
  return {
    async tools() {
      if (!hasServers()) return [];
      const { lspTool } = await import("@keelson/tools/lsp");
      return [lspTool({ ask: async (question, context) => (await load()).ask(question, context) })];
    },
    async close() {
      closed = true;
      await (await loading)?.close();
    },
  };
}
