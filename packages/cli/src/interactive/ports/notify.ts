// Rings for a window that may not be looked at, in the way that `preferredNotifChannel` names.

import type { Snapshot } from "@keelson/config";
import { notifyTerminal } from "@keelson/host/notify";
import type { TerminalPort } from "../terminal/port.ts";

export function ring(text: string, { settings, childEnv }: Snapshot, port: Pick<TerminalPort, "write">): void {
  notifyTerminal(
    { title: "Keelson", message: text },
    {
      channel: settings.preferredNotifChannel,
      env: childEnv,
      terminal: { isTTY: true, write: (sequence) => port.write(sequence) },
    },
  );
}
