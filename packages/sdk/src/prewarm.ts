// `prewarm()`: a program that is loaded and bound to nothing yet: no folder, no session, no settings. A claim gives it
// all of that at once, so nothing of one query can be left for the next.
//
// On the wire: the program is started with `--await-claim`, reads nothing but its input, and says
//   {"type":"keep_alive","startup_mark":"parked"}
// when it is ready. The first line it gets is the claim, and from then on it is as if it had been started in `cwd`, with
// `argv` and `env` and nothing else; initialize and prompts follow without waiting for the reply:
//   {"type":"control_request","request_id":"req_1","request":{"subtype":"claim","cwd":"/p","argv":["--model=m"],"env":{}}}
//   {"type":"control_response","response":{"subtype":"success","request_id":"req_1","response":
//     {"cwd":"/p","session_id":"…","parked_ms":5012,"sdk_mcp_settled":true}}}
// An error reply (no such folder, bad flags) is followed by the program's end. So is the end of its input, at any time.

import { isObject } from "@keelson/protocol";
import { resolve } from "node:path";
import { cwd as here } from "node:process";
import { ControlConnection, type Host } from "./control/connection.ts";
import { deferred } from "./control/deferred.ts";
import { CLIConnectionError } from "./errors.ts";
import { launch } from "./launch.ts";
import type { SDKUserMessage } from "./messages/messages.ts";
import { toArguments } from "./options/arguments.ts";
import { checkOptions } from "./options/check.ts";
import { toEnvironment } from "./options/environment.ts";
import type { Options } from "./options/options.ts";
import type { Query } from "./query-object.ts";
import { RunningQuery } from "./running-query.ts";
import { READS_STARTUP_MARKS, withTimeout } from "./startup.ts";

/** Everything but what made the process itself. */
export type ClaimOptions = Omit<
  Options,
  "executable" | "executableArgs" | "pathToClaudeCodeExecutable" | "pathToKeelsonExecutable" | "spawnClaudeCodeProcess"
>;

export interface Claimed {
  cwd: string;
  sessionId: string;
  parkedMs?: number;
  sdkMcpSettled: boolean;
}

export interface SpareProcess extends AsyncDisposable {
  /** May be called once. What the options leave out is taken from those given to `prewarm()`. */
  claim(params: { prompt: string | AsyncIterable<SDKUserMessage>; options?: ClaimOptions }): Query;
  /** What the program said to the claim. Rejects when it could not be claimed, or was closed before. */
  readonly claimed: Promise<Claimed>;
  /** Settles when the program has ended. */
  readonly exited: Promise<void>;
  close(): void;
}

const TIMEOUT = 60_000;
const AWAIT_CLAIM = ["--output-format", "stream-json", "--verbose", "--input-format", "stream-json", "--await-claim"];

export async function prewarm({
  options = {},
  initializeTimeoutMs = TIMEOUT,
}: { options?: Options; initializeTimeoutMs?: number } = {}): Promise<SpareProcess> {
  checkOptions(options);
  const parked = deferred<void>();
  const claimed = deferred<Claimed>();
  const connection = new ControlConnection(parking(options, () => parked.resolve()));
  void connection.start(() => launch(options, { args: AWAIT_CLAIM, env: READS_STARTUP_MARKS }));

  try {
    const gone = connection.ended.then(() => endOf(connection)).then((error) => Promise.reject(error));
    await withTimeout(initializeTimeoutMs, Promise.race([parked.promise, gone]), "The spare process was not ready");
  } catch (error) {
    connection.close();
    throw error;
  }
  connection.setAside(true);

  let isTaken = false;
  const notClaimed = () => claimed.reject(new CLIConnectionError("The spare process ended before it was claimed"));
  void connection.ended.then(notClaimed);
  return {
    claim({ prompt, options: more = {} }) {
      if (isTaken) throw new Error("A spare process is claimed once: call prewarm() again for another");
      const all: Options = { ...options, ...more };
      checkOptions(all);
      isTaken = true;
      connection.setAside(false);
      connection.hold();
      const running = new RunningQuery(connection, all);
      claim(connection, running, all).then(claimed.resolve, (error: Error) => {
        claimed.reject(error);
        // Whatever a program says after a refused claim is for nobody.
        connection.close(error);
      });
      running.begin(prompt);
      return running;
    },
    claimed: claimed.promise,
    exited: connection.ended,
    close: () => connection.close(),
    async [Symbol.asyncDispose]() {
      if (!isTaken) connection.close();
    },
  };
}

/** What a spare is served by until it is claimed: nobody, but for its one word. */
function parking({ stderr }: Options, ready: () => void): Host {
  return {
    answer: () => Promise.reject(new Error("Nobody has claimed this process")),
    saw(message) {
      if (message["type"] === "keep_alive" && message["startup_mark"] === "parked") ready();
      return false;
    },
    ...(stderr === undefined ? {} : { stderr }),
  };
}

async function claim(connection: ControlConnection, running: RunningQuery, options: Options): Promise<Claimed> {
  const joined = options.sessionStore === undefined ? options : await running.join(options.sessionStore);
  const request = {
    subtype: "claim",
    cwd: resolve(joined.cwd ?? here()),
    argv: toArguments(joined),
    env: toEnvironment(joined),
  };
  const reply = connection.request(request, { ahead: true });
  connection.letGo();
  const { response } = await reply;
  const facts = isObject(response) ? response : {};
  return {
    cwd: String(facts["cwd"] ?? request.cwd),
    sessionId: String(facts["session_id"] ?? ""),
    ...(typeof facts["parked_ms"] === "number" ? { parkedMs: facts["parked_ms"] } : {}),
    sdkMcpSettled: facts["sdk_mcp_settled"] === true,
  };
}

/** Why a program that nobody has claimed has ended. */
function endOf(connection: ControlConnection): Promise<Error> {
  return connection.messages.next().then(
    () => new CLIConnectionError("The spare process ended before it was claimed"),
    (error: Error) => error,
  );
}
