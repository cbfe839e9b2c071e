// Saves binary content of servers where the model may read it.

import type { Machine } from "../../machine/machine.ts";
import type { ConnectorOptions } from "../connect/connector.ts";

type Save = NonNullable<NonNullable<ConnectorOptions["parts"]>["save"]>;

export function fileSaver(machine: Machine, what: string): Save {
  return async ({ server, mimeType, bytes }) => {
    const { fileExtension } = await import("../../machine/file-extension.ts");
    return machine.spill(`mcp-${server.slice(0, 40)}-${what}-${Date.now()}`, bytes, fileExtension(mimeType));
  };
}
