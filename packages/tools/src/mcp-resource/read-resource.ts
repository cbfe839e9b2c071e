// ReadMcpResourceTool: the content of one resource. Binary content, and text too long to keep, goes to files.

import { defineTool, kilobytes, object, string, ToolError, type Tool } from "@keelson/engine";
import description from "./read-resource.md" with { type: "text" };
import { requireServer, serverFailure, type McpResources } from "./resources.ts";

interface ReadResourceInput {
  readonly server: string;
  readonly uri: string;
}

interface ReadResourceOutput {
  readonly contents: readonly {
    readonly uri: string;
    readonly mimeType?: string;
    readonly text?: string;
    readonly blobSavedTo?: string;
  }[];
}

const MAX_CONTENTS = 200;
/** Of all contents together. */
const MAX_TEXT_LENGTH = 1_000_000;
const MAX_SAVED_LENGTH = 100 * 1024 * 1024;

export function readMcpResourceTool(resources: McpResources): Tool<ReadResourceInput, ReadResourceOutput> {
  return defineTool<ReadResourceInput, ReadResourceOutput>({
    name: "ReadMcpResourceTool",
    description,
    input: object({
      server: string("The server that has the resource"),
      uri: string("The URI of the resource"),
    }),
    aliases: ["ReadMcpResource"],
    describe: (input) => input.text("uri"),
    parallelSafe: true,
    check: ({ server }) => requireServer(resources, server),
    access: () => ({ kind: "none" }),

    async run({ server, uri }, { signal }) {
      const read = await contentOf(resources, server, uri, signal);
      let left = MAX_TEXT_LENGTH;
      let savable = MAX_SAVED_LENGTH;
      const contents: ReadResourceOutput["contents"][number][] = [];
      for (const { text, blob, ...about } of read.slice(0, MAX_CONTENTS)) {
        if (text !== undefined && text.length <= left) {
          left -= text.length;
          contents.push({ ...about, text });
          continue;
        }
        const length = (text ?? blob ?? "").length;
        savable -= length;
        if (length === 0) contents.push(about);
        else if (savable < 0) contents.push({ ...about, text: `[${kilobytes(length)} left out: too large]` });
        else {
          const bytes = bytesOf(text, blob);
          const blobSavedTo = await resources.save({ ...about, server, bytes });
          const kind = text === undefined ? "Binary content" : "Text";
          const size = `(${about.mimeType ?? "unknown type"}, ${bytes.length} bytes)`;
          const note = `[Resource from ${server} at ${about.uri}] ${kind} ${size} saved to ${blobSavedTo}`;
          contents.push({ ...about, blobSavedTo, text: note });
        }
      }
      return { contents };
    },

    show: (output) => JSON.stringify(output),
  });
}

async function contentOf(resources: McpResources, server: string, uri: string, signal: AbortSignal) {
  try {
    return await resources.read(server, uri, signal);
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === RESOURCE_NOT_FOUND) {
      throw new ToolError(`Resource not found: ${uri}. Call ListMcpResourcesTool for the resources that exist now`);
    }
    throw new ToolError(serverFailure(error));
  }
}

/** The error code of the protocol. */
const RESOURCE_NOT_FOUND = -32002;

function bytesOf(text: string | undefined, blob: string | undefined): Uint8Array {
  return text !== undefined ? new TextEncoder().encode(text) : Buffer.from(blob ?? "", "base64");
}
