// The order in which an MCP client's calls run, the same as for the calls of one reply (engine/tool/batch.ts): neighbors that
// are safe in parallel run together, any other call waits for the ones before it. Unlike there, each call can be cancelled
// alone, and a hook that ends the run ends only its own call.

import { Batch, checkCall, isParallelSafe, type Ports, type SettledCall, type StreamedCall } from "@keelson/engine";

export interface CallLineOptions {
  /** The ports of one call. */
  ports(signal: AbortSignal, interrupt: () => void): Ports;
  /** Called before a call starts while no other runs. */
  beforeFirst(): Promise<void>;
}

export class CallLine {
  readonly #options: CallLineOptions;
  readonly #running = new Set<Promise<void>>();
  /** Calls are placed one after another. */
  #placed: Promise<void> = Promise.resolve();

  constructor(options: CallLineOptions) {
    this.#options = options;
  }

  /** Resolves with the answer. An aborted call is answered too, when its turn comes. */
  settle(call: StreamedCall, signal: AbortSignal): Promise<SettledCall> {
    const { promise, resolve, reject } = Promise.withResolvers<SettledCall>();
    this.#placed = this.#placed.then(() => this.#place(call, signal, resolve, reject)).catch(reject);
    return promise;
  }

  /** Resolves when every call so far has its answer. */
  async idle(): Promise<void> {
    await this.#placed;
    await Promise.all(this.#running);
  }

  async #place(
    call: StreamedCall,
    signal: AbortSignal,
    resolve: (settled: SettledCall) => void,
    reject: (error: unknown) => void,
  ): Promise<void> {
    if (this.#running.size === 0 && !signal.aborted) await this.#options.beforeFirst();
    const stop = new AbortController();
    const ports = this.#options.ports(AbortSignal.any([signal, stop.signal]), () => stop.abort());
    const isShared = await isParallelSafe(checkCall(call, ports));
    if (!isShared) await Promise.all(this.#running);
    while (this.#running.size >= ports.concurrency) await Promise.race(this.#running);

    const batch = new Batch(ports);
    batch.start(call);
    const over: Promise<void> = batch
      .settled()
      .then(([settled]) => resolve(settled!), reject)
      .finally(() => this.#running.delete(over));
    this.#running.add(over);
    if (!isShared) await over;
  }
}
