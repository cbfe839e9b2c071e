// The official MCP clients, of both generations, connected to `keelson mcp serve`.

import { Client as NewClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewStdio } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { programCommand, type TemporaryHome } from "@keelson/testkit";

/** What the tests use of either client. */
export interface Peer extends AsyncDisposable {
  readonly pid: number;
  readonly name: string;
  tools(): Promise<readonly any[]>;
  call(name: string, input: object, options?: CallOptions): Promise<PeerResult>;
  /** Closes the connection as the client does: by ending the server's input. */
  close(): Promise<void>;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  onprogress?(progress: { readonly message?: string }): void;
}

export interface PeerResult {
  readonly isError: boolean;
  readonly content: readonly any[];
  /** The text of the first block. */
  readonly text: string;
  /** The first block as JSON. */
  readonly output: any;
}

export interface PeerOptions {
  readonly args?: readonly string[];
  /** Answers questions. Absent: the client says it cannot ask. */
  answer?(question: any): object | Promise<object>;
}

export type Connect = (home: TemporaryHome, options?: PeerOptions) => Promise<Peer>;

const INFO = { name: "peer", version: "1.0.0" };

export const oldPeer: Connect = async (home, { args, answer } = {}) => {
  const client = new OldClient(INFO, { capabilities: answer ? { elicitation: { form: {} } } : {} });
  if (answer) client.setRequestHandler(ElicitRequestSchema, async ({ params }) => (await answer(params)) as never);
  const transport = new OldStdio(command(home, args));
  await client.connect(transport);
  return peerOf(client, transport.pid!);
};

/** Speaks the newest protocol only. */
export const newPeer: Connect = async (home, { args, answer } = {}) => {
  const client = new NewClient(INFO, {
    capabilities: answer ? { elicitation: { form: {} } } : {},
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  });
  if (answer) client.setRequestHandler("elicitation/create", async ({ params }) => (await answer(params)) as never);
  const transport = new NewStdio(command(home, args));
  await client.connect(transport);
  return peerOf(client, transport.pid!);
};

function command(home: TemporaryHome, args: readonly string[] = []) {
  const [program, ...first] = programCommand({ home });
  return {
    command: program!,
    args: [...first, "mcp", "serve", ...args],
    cwd: home.project,
    env: { ...home.env },
    stderr: "ignore" as const,
  };
}

function peerOf(client: OldClient | NewClient, pid: number): Peer {
  return {
    pid,
    name: client.getServerVersion()!.name,
    tools: async () => (await client.listTools()).tools,
    async call(name, input, options = {}) {
      const request = { name, arguments: input as Record<string, unknown> };
      const result: any = await (client instanceof OldClient
        ? client.callTool(request, undefined, options)
        : client.callTool(request, options));
      const text = result.content[0]?.text ?? "";
      return {
        isError: result.isError === true,
        content: result.content,
        text,
        get output() {
          return JSON.parse(text);
        },
      };
    },
    close: () => client.close(),
    [Symbol.asyncDispose]: () => client.close(),
  };
}
