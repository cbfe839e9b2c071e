// Reports of a server and its workers to a collector, if the variables for OpenTelemetry ask for them.

import { isVariableOn, VERSION } from "@keelson/protocol";
import type { AttemptSpan } from "@keelson/routines";
import type { ServerFigure } from "@keelson/runtime/server-reports";
import type { ProcessIO } from "../../process/process-io.ts";

export interface OpenedReports {
  attempted(attempt: AttemptSpan): void;
  close(): Promise<void>;
}

export async function openReports(
  io: ProcessIO,
  figures: (() => Promise<readonly ServerFigure[]>) | undefined,
  note: (text: string) => void,
): Promise<OpenedReports | undefined> {
  // What sends them is not loaded for nothing.
  if (!isVariableOn(io.env["CLAUDE_CODE_ENABLE_TELEMETRY"])) return undefined;
  const { openServerReports } = await import("@keelson/runtime/server-reports");
  const reports = openServerReports({
    env: io.env,
    version: VERSION,
    service: "keelson-serve",
    ...(figures ? { figures } : {}),
    report: (problem) => note(`Not reported: ${problem}`),
  });
  return reports && { attempted: (attempt) => reports.span(spanOf(attempt)), close: () => reports.close() };
}

const isGood = (why: string) => /^(?:succeeded|asked|released|skipped)$/.test(why);

function spanOf({ traceId, spanId, startMs, endMs, run, why }: AttemptSpan) {
  const attributes = { run_id: run.id, routine_id: run.routineId, cause: run.cause, attempt: run.attempt, end: why };
  const error = isGood(why) ? undefined : why;
  return { name: "keelson.routines.run", traceId, spanId, startMs, endMs, error, attributes };
}
