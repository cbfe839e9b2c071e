// `query()`: sends one prompt, or a stream of them, to a new program.

import { ControlConnection } from "../control/connection.ts";
import { launch } from "../start/launch.ts";
import type { SDKUserMessage } from "../messages/messages.ts";
import { checkOptions } from "../options/check.ts";
import type { Options } from "../options/options.ts";
import type { Query } from "./query-object.ts";
import { RunningQuery } from "./running-query.ts";

/**
 * Runs a prompt. The program starts at once, not when the first message is read. Contradictory options throw here;
 * later failures are thrown by the iterator.
 */
export function query({
  prompt,
  options = {},
}: {
  prompt: string | AsyncIterable<SDKUserMessage>;
  options?: Options;
}): Query {
  const { spares, ...alone } = options;
  if (spares !== undefined) return spares.query({ prompt, options: alone });
  checkOptions(options);
  const running = openQuery(options);
  running.begin(prompt);
  return running;
}

/** Starts the program and initializes it, so that only a prompt is missing. */
export function openQuery(options: Options, env: Record<string, string> = {}): RunningQuery {
  const connection = new ControlConnection();
  const running = new RunningQuery(connection, options);
  const { sessionStore } = options;
  if (options.abortController?.signal.aborted) return running;
  void connection.start(() =>
    sessionStore === undefined
      ? launch(options, { env })
      : running.join(sessionStore).then((joined) => launch(joined, { env })),
  );
  return running;
}
