// The sandbox library has one configuration and one proxy per process, so the sessions of a process share them. What is for
// one command (folders, files) may differ between sessions; the rest, above all which hosts are allowed, may not.

import { isDeepStrictEqual } from "node:util";
import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";
import type { SandboxLibrary } from "./runtime-adapter.ts";

export class OtherSandboxError extends Error {
  override readonly name = "OtherSandboxError";
}

export class SharedLibrary {
  readonly #load: () => Promise<SandboxLibrary>;
  readonly #users = new Set<SandboxLibrary>();
  #wanted: Omit<SandboxRuntimeConfig, "filesystem"> | undefined;
  /** Starts and stops come one after another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(load: () => Promise<SandboxLibrary>) {
    this.#load = load;
  }

  /** As one session has it. */
  async open(): Promise<SandboxLibrary> {
    const library = await this.#load();
    const own: SandboxLibrary = {
      missing: (ripgrep) => library.missing(ripgrep),
      wrap: (command) => library.wrap(command),
      finish: (id) => library.finish(id),
      start: (config) => this.#next(() => this.#start(own, library, config)),
      stop: () => this.#next(() => this.#stop(own, library)),
    };
    return own;
  }

  async #start(user: SandboxLibrary, library: SandboxLibrary, config: SandboxRuntimeConfig): Promise<void> {
    const { filesystem: _, ...wanted } = config;
    if (this.#users.size === 0) {
      await library.start(config);
      this.#wanted = wanted;
    } else if (!isDeepStrictEqual(wanted, this.#wanted)) {
      throw new OtherSandboxError("another session of this process has a sandbox with other settings");
    }
    this.#users.add(user);
  }

  async #stop(user: SandboxLibrary, library: SandboxLibrary): Promise<void> {
    if (this.#users.delete(user) && this.#users.size === 0) await library.stop();
  }

  #next<Result>(work: () => Promise<Result>): Promise<Result> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }
}
