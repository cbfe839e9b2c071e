// otelHeadersHelper: a command that prints headers for the collector as JSON. Run again after a while, because tokens expire.

import type { Snapshot } from "@keelson/config";
import { folderToAvoid } from "@keelson/config/governing";
import type { HookProcesses } from "@keelson/host/hooks";
import { isObject, tryParse } from "@keelson/protocol";
import { SendError } from "./send.ts";

const REFRESH_MS = 29 * 60_000;
const LIMIT_MS = 30_000;

type Headers = Readonly<Record<string, string>>;

export interface HelperHeaders {
  /** Throws SendError. */
  get(signal: AbortSignal): Promise<Headers>;
  close(): Promise<void>;
}

export interface HelperContext {
  snapshot: Pick<Snapshot, "cwd" | "home" | "trusted" | "trustBasis" | "childEnv" | "env">;
  sessionId(): string;
  readonly entrypoint: string;
  now(): number;
}

export function helperHeaders(command: string, { snapshot, sessionId, entrypoint, now }: HelperContext): HelperHeaders {
  const { cwd, childEnv, env } = snapshot;
  const refreshMs = Number(env["CLAUDE_CODE_OTEL_HEADERS_HELPER_DEBOUNCE_MS"]) || REFRESH_MS;
  const closing = new AbortController();
  let processes: HookProcesses | undefined;
  let latest: { readonly headers: Promise<Headers>; readonly at: number } | undefined;
  const run = async (): Promise<Headers> => {
    const { createHookProcesses, headersHelper, hookEnvironment } = await import("@keelson/host/hooks");
    processes ??= createHookProcesses();
    const outside = folderToAvoid(snapshot, "user");
    const origin = { childEnv, sessionId: sessionId(), entrypoint };
    const place = { cwd, env: hookEnvironment({ ...origin, projectDir: cwd, outside }) };
    const ran = await headersHelper(processes, { ...place, timeoutMs: LIMIT_MS })(command, {}, closing.signal);
    const printed = ran.outcome === "success" ? tryParse(ran.stdout) : undefined;
    if (!isObject(printed))
      throw new SendError(
        "the otelHeadersHelper command did not print a JSON object; run it in a terminal to see why",
        false,
      );
    return Object.fromEntries(Object.entries(printed).filter(([, value]) => typeof value === "string")) as Headers;
  };
  return {
    async get(signal) {
      if (latest === undefined || now() - latest.at >= refreshMs) {
        const headers = run();
        latest = { headers, at: now() };
        // A failure is not remembered.
        headers.catch(() => (latest = undefined));
      }
      return untilAborted(latest.headers, signal);
    },
    async close() {
      closing.abort();
      await processes?.close();
    },
  };
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const stop = () => reject(new SendError("the otelHeadersHelper command took too long", false));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, late]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
