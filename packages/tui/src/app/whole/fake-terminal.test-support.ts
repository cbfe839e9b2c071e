// The whole program in this process, in front of a terminal that only keeps what is written, with a clock of its own.

import { fileURLToPath } from "node:url";
import type { TerminalHost, TerminalOutcome } from "../../host.ts";
import { runTerminal } from "../run.ts";
import type { FakeSession } from "./fake-session.test-support.ts";

// Everything is loaded now, so that nothing waits for a file later.
const source = fileURLToPath(new URL("../../", import.meta.url));
for (const path of new Bun.Glob("**/*.ts").scanSync(source)) {
  if (!path.includes(".test")) await import(`${source}${path}`);
}

/** Timers that run when the test says so. */
export class FakeClock implements Disposable {
  now = 1_700_000_000_000;
  readonly #due = new Map<number, { readonly at: number; readonly call: () => void }>();
  readonly #real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout };
  #count = 0;

  constructor() {
    globalThis.setTimeout = ((call: () => void, ms = 0) => {
      this.#due.set(++this.#count, { at: this.now + ms, call });
      return this.#count;
    }) as never;
    globalThis.clearTimeout = ((id: number) => void this.#due.delete(id)) as never;
  }

  get waiting(): number {
    return this.#due.size;
  }

  advance(ms: number): void {
    this.now += ms;
    for (const [id, { at, call }] of this.#due) {
      if (at > this.now) continue;
      this.#due.delete(id);
      call();
    }
  }

  [Symbol.dispose](): void {
    Object.assign(globalThis, this.#real);
  }
}

export interface FakeProgramOptions {
  readonly clock: FakeClock;
  readonly session: FakeSession;
  readonly settings?: TerminalHost["settings"];
  readonly screenReader?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  readonly host?: Partial<TerminalHost>;
  /** For what is written, instead of `written()`. */
  readonly write?: (text: string) => void;
}

const encoder = new TextEncoder();

export function startFakeProgram(options: FakeProgramOptions) {
  const { clock, session } = options;
  let { columns = 80, rows = 24 } = options;
  const listeners = { input: new Set<(chunk: Uint8Array) => void>(), resize: new Set<() => void>() };
  const end = new AbortController();
  const added = <T>(to: Set<T>, listener: T) => {
    to.add(listener);
    return () => void to.delete(listener);
  };
  let bytes = "";
  let isRaw = false;
  const host: TerminalHost = {
    terminal: {
      get columns() {
        return columns;
      },
      get rows() {
        return rows;
      },
      write: options.write ?? ((text) => void (bytes += text)),
      onInput: (listener) => added(listeners.input, listener),
      onResize: (listener) => added(listeners.resize, listener),
      onGone: () => () => undefined,
      setRaw: (raw) => void (isRaw = raw),
      stop: async () => undefined,
    },
    env: { TERM: "xterm-256color" },
    cwd: "/home/u/p",
    home: "/home/u",
    version: "2.0.0",
    settings: options.settings ?? {},
    screenReader: options.screenReader ?? false,
    first: { kind: "new" },
    notices: [],
    onNotice: () => () => undefined,
    end: end.signal,
    open: async () => session,
    themes: () => ({}),
    keybindings: async () => ({ path: "/home/u/.claude/keybindings.json", text: undefined }),
    editText: async (text) => `${text} edited`,
    editFile: async () => true,
    clipboardImage: async () => undefined,
    statusLine: async () => undefined,
    notify: () => undefined,
    openUrl: async () => false,
    isFirstTime: async () => false,
    showOnPage: async () => ({ link: "http://127.0.0.1:4600/#code=x", qr: ["▄▄"], listens: "127.0.0.1:4600" }),
    logins: async () => ({
      servers: async () => [{ id: "ollama/q", title: "ollama/q", detail: "Ollama on this machine" }],
      providers: async () => [{ provider: "openai", title: "OpenAI", credentials: null, takesKey: true }],
      check: async () => ({ models: ["openai/gpt-9"] }),
      store: async () => undefined,
      choose: async () => undefined,
    }),
    doctor: async () => "All well",
    explainCall: async () => "✓ Allowed",
    now: () => clock.now,
    ...options.host,
  };
  let outcome: TerminalOutcome | undefined;
  const done = runTerminal(host).then((value) => (outcome = value));

  return {
    end,
    done,
    get outcome() {
      return outcome;
    },
    get isRaw() {
      return isRaw;
    },
    /** What was written since the last call. */
    written(): string {
      const all = bytes;
      bytes = "";
      return all;
    },
    type(text: string | Uint8Array): void {
      const chunk = typeof text === "string" ? encoder.encode(text) : text;
      for (const listener of [...listeners.input]) listener(chunk);
    },
    resize(newColumns: number, newRows: number): void {
      [columns, rows] = [newColumns, newRows];
      for (const listener of [...listeners.resize]) listener();
    },
    /** Lets what was promised happen. */
    async settled(): Promise<void> {
      for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

export type FakeProgram = ReturnType<typeof startFakeProgram>;
