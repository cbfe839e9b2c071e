// `prewarm()`: starts a program that is loaded but has no folder, session or settings yet. A claim gives it all of that
// at once, so nothing from one query can leak into the next.
//
// On the wire: the program is started with `--await-claim`, reads only its input, and sends
//   {"type":"keep_alive","startup_mark":"parked"}
// when it is ready. The first line it gets is the claim. From then on, it behaves as if it had been started in `cwd` with
// exactly `argv` and `env`. `initialize` and prompts follow without waiting for the reply:
//   {"type":"control_request","request_id":"req_1","request":{"subtype":"claim","cwd":"/p","argv":["--model=m"],"env":{}}}
//   {"type":"control_response","response":{"subtype":"success","request_id":"req_1","response":
//     {"cwd":"/p","session_id":"…","parked_ms":5012,"sdk_mcp_settled":true}}}
// After an error reply (no such folder, invalid flags), the program exits. It also exits when its input ends.

import { isObject } from "@keelson/protocol";
import { resolve } from "node:path";
import { cwd as here } from "node:process";
import { ControlConnection, type Host } from "../control/connection.ts";
import { deferred } from "../control/deferred.ts";
import { CLIConnectionError } from "../errors.ts";
import { launch } from "./launch.ts";
import type { SDKUserMessage } from "../messages/messages.ts";
import { toArguments } from "../options/arguments.ts";
import { checkOptions } from "../options/check.ts";
import { toEnvironment } from "../options/environment.ts";
import type { Options } from "../options/options.ts";
import type { Query } from "../query/query-object.ts";
import { RunningQuery } from "../query/running-query.ts";
import { READS_STARTUP_MARKS, withTimeout } from "./startup.ts";

/** All options except those that decide how the process starts. */
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
  /** Call it once. Options that are left out are taken from `prewarm()`. */
  claim(params: { prompt: string | AsyncIterable<SDKUserMessage>; options?: ClaimOptions }): Query;
  /** The program's reply to the claim. Rejects if it could not be claimed, or was closed before. */
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
      if (isTaken) throw new Error("A spare process can be claimed only once: call prewarm() again for another");
      const all: Options = { ...options, ...more };
      checkOptions(all);
      isTaken = true;
      connection.setAside(false);
      connection.hold();
      const running = new RunningQuery(connection, all);
      claim(connection, running, all).then(claimed.resolve, (error: Error) => {
        claimed.reject(error);
        // Messages after a refused claim have no reader.
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

/** The host of a spare until it is claimed: it only waits for the ready message. */
function parking({ stderr }: Options, ready: () => void): Host {
  return {
    answer: () => Promise.reject(new Error("This process has not been claimed")),
    onMessage(message) {
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

/** Why a program ended before it was claimed. */
function endOf(connection: ControlConnection): Promise<Error> {
  return connection.messages.next().then(
    () => new CLIConnectionError("The spare process ended before it was claimed"),
    (error: Error) => error,
  );
}
