// Opens telemetry for a session, as its variables and settings ask for.

import { ownEnvironment } from "@keelson/config";
import { networkFetch } from "@keelson/model";
import { VERSION } from "@keelson/protocol";
import type { OpenOptions } from "../../session/open-options.ts";
import type { SessionPlace } from "../../session/place.ts";
import type { Watcher } from "../facts.ts";
import { hideSecrets } from "../hide-secrets.ts";
import { helperHeaders } from "./headers-helper.ts";
import { openPipeline } from "./pipeline.ts";
import { telemetryPlan } from "./plan.ts";
import { telemetryWatcher } from "./telemetry.ts";

export interface OpenedTelemetry {
  /** Absent if nothing is to be reported. */
  readonly watcher?: Watcher;
  readonly problems: readonly string[];
}

export function openTelemetry(options: OpenOptions, place: SessionPlace): OpenedTelemetry {
  const { snapshot, entrypoint, debug } = options;
  const { env, settings } = snapshot;
  const plan = telemetryPlan(env);
  if (!plan) return { problems: [] };
  const { problems, destinations } = plan;
  if (Object.values(destinations).every((each) => each.length === 0)) return { problems };
  const now = () => performance.timeOrigin + performance.now();
  const sessionId = () => place.id;
  const command = settings.otelHeadersHelper;
  const helper = command ? helperHeaders(command, { snapshot, sessionId, entrypoint, now }) : undefined;
  const hide = hideSecrets(env);
  const pipeline = openPipeline(plan, {
    resource: {
      "service.version": VERSION,
      "os.type": process.platform,
      "host.arch": process.arch,
      ...plan.ownAttributes,
      ...plan.resource,
    },
    version: VERSION,
    fetch: networkFetch(ownEnvironment(snapshot)),
    moreHeaders: async (signal) => (await helper?.get(signal)) ?? {},
    now,
    report: (problem) => debug?.("telemetry", () => `Not reported: ${problem}`),
  });
  const watcher = telemetryWatcher({
    plan,
    pipeline,
    sessionId,
    isResumed: place.loaded !== undefined,
    entrypoint,
    hide,
  });
  return {
    problems,
    watcher: {
      ...watcher,
      async close() {
        await watcher.close?.();
        await helper?.close();
      },
    },
  };
}
