// Fires hooks for changes around the session: its working directory, added directories, watched files.

import type * as EnvFile from "@keelson/host/env-file";
import type { HookEvent, HookOutcome, HookRegistration, JsonObject } from "@keelson/protocol";
import type { FileWatch } from "./watch-files.ts";

export interface ChangeReporterOptions {
  readonly configDir: string;
  sessionId(): string;
  readonly root: string;
  fire(event: HookEvent, input: JsonObject): Promise<HookOutcome>;
  hasHooksFor(event: HookEvent): boolean;
  registered(): readonly HookRegistration[];
}

/** Hooks of these events may set variables for later commands, so commands wait for them and for no others. */
const PREPARES_COMMANDS: ReadonlySet<HookEvent> = new Set(["CwdChanged", "FileChanged"]);

export class ChangeReporter {
  readonly #options: ChangeReporterOptions;
  readonly #pending = new Set<Promise<unknown>>();
  #watch: Promise<FileWatch> | undefined;

  constructor(options: ChangeReporterOptions) {
    this.#options = options;
  }

  /** Watches the files named in FileChanged matchers. */
  start(): void {
    const { hasHooksFor, registered, root } = this.#options;
    if (!hasHooksFor("FileChanged")) return;
    const hooks = registered().filter(({ event }) => event === "FileChanged");
    const watching = import("./watch-files.ts").then(({ namedFiles }) =>
      this.watch(hooks.flatMap(({ matcher }) => namedFiles(matcher, root))),
    );
    this.#await(watching);
  }

  watch(paths: readonly string[]): void {
    if (!this.#options.hasHooksFor("FileChanged") || paths.length === 0) return;
    this.#watch ??= this.#open();
    this.#await(this.#watch.then((watch) => watch.add(paths)));
  }

  cwdChanged(from: string, to: string): void {
    if (!this.#options.hasHooksFor("CwdChanged")) return;
    const { clearFolderEnvFiles } = require("@keelson/host/env-file") as typeof EnvFile;
    clearFolderEnvFiles(this.#options.configDir, this.#options.sessionId());
    this.report("CwdChanged", { old_cwd: from, new_cwd: to });
  }

  directoriesAdded(directories: readonly string[], source: string): void {
    for (const directory of directories) this.report("DirectoryAdded", { directory, source });
  }

  /** Fires the event without waiting for its hooks; closing the session waits for them. */
  report(event: HookEvent, input: JsonObject): void {
    if (!this.#options.hasHooksFor(event)) return;
    const fired = this.#options.fire(event, input);
    if (PREPARES_COMMANDS.has(event)) this.#await(fired);
  }

  /** Resolves when hooks that prepare the next command are done, or when `signal` aborts. */
  async settled(signal?: AbortSignal): Promise<void> {
    while (this.#pending.size > 0 && signal?.aborted !== true) await untilAborted(Promise.all(this.#pending), signal);
  }

  close(): void {
    if (this.#watch) this.#await(this.#watch.then((watch) => watch.close()));
  }

  async #open(): Promise<FileWatch> {
    const { watchFiles } = await import("./watch-files.ts");
    return watchFiles((path, event) => this.report("FileChanged", { file_path: path, event }));
  }

  #await(work: Promise<unknown>): void {
    this.#pending.add(work);
    void work.finally(() => this.#pending.delete(work));
  }
}

async function untilAborted(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  const { promise: stopped, resolve } = Promise.withResolvers<void>();
  const stop = () => resolve();
  signal?.addEventListener("abort", stop, { once: true });
  await Promise.race([work, stopped]);
  signal?.removeEventListener("abort", stop);
}
