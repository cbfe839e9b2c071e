// Opens what watches a session: the debug log, the trace, telemetry. Each is loaded only if it is on.

import { basename, dirname, join, resolve } from "node:path";
import { realPathOf } from "@keelson/disk/real-path";
import type { Span } from "@keelson/store/span-log";
import type { ModelRates } from "../model/cost.ts";
import type { OpenOptions } from "../session/open-options.ts";
import type { SessionPlace } from "../session/place.ts";
import type { Watcher } from "./facts.ts";
import { observe, type Observed } from "./observed.ts";

/** Undefined if nothing watches after all. */
export async function openObserved(
  options: OpenOptions,
  place: SessionPlace,
  rates: ModelRates,
): Promise<Observed | undefined> {
  const { debug } = options;
  const watchers = [
    ...(debug ? [(await import("./debug.ts")).debugWatcher(debug)] : []),
    ...(await traceOf(options, place)),
    ...(await telemetryOf(options, place)),
  ];
  return watchers.length === 0 ? undefined : observe(watchers, { costOf: rates.costOf });
}

/** KEELSON_TRACE: `1` for a file beside the transcript, otherwise the file. */
async function traceOf({ snapshot, warn }: OpenOptions, place: SessionPlace): Promise<readonly Watcher[]> {
  const choice = snapshot.env["KEELSON_TRACE"]?.trim() ?? "";
  if (choice === "" || choice === "0") return [];
  const { openSpanLog, spanLogPath } = await import("@keelson/store/span-log");
  if (choice === "1" && place.path === null) {
    warn("KEELSON_TRACE=1 has no effect without a transcript; name a file instead");
    return [];
  }
  const open = () => {
    const named = resolve(snapshot.cwd, choice);
    // The folder may be behind the user's links; the file is no link.
    const path = choice === "1" ? spanLogPath(place.dir, place.id) : join(realPathOf(dirname(named)), basename(named));
    return openSpanLog(path, ({ message }) =>
      warn(`The trace cannot be written (${message}); the session continues without it`),
    );
  };
  let [id, log] = [place.id, open()];
  const add = (span: Span) => {
    // A cleared conversation is another session.
    if (id !== place.id) {
      log.close();
      [id, log] = [place.id, open()];
    }
    log.add(id, span);
  };
  const { traceWatcher } = await import("./trace.ts");
  return [traceWatcher(add, () => log.close())];
}

/** CLAUDE_CODE_ENABLE_TELEMETRY and the standard variables. */
async function telemetryOf(options: OpenOptions, place: SessionPlace): Promise<readonly Watcher[]> {
  const { snapshot, warn } = options;
  if (!snapshot.env["CLAUDE_CODE_ENABLE_TELEMETRY"]) return [];
  const { openTelemetry } = await import("./telemetry/open-telemetry.ts");
  const { watcher, problems } = openTelemetry(options, place);
  problems.forEach(warn);
  return watcher ? [watcher] : [];
}
