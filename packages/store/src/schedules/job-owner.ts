// Which session a durable job belongs to.

import { processStart, type ProcessIdentity } from "@keelson/disk/process-identity";

export interface JobOwner extends ProcessIdentity {
  readonly sessionId: string;
}

export function jobOwner(sessionId: string): JobOwner {
  return { sessionId, pid: process.pid, procStart: processStart(process.pid) ?? "" };
}
