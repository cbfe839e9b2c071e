// The rows that the command of `statusLine` prints. It runs when something changed, at most once in 300 ms; a run that is
// still in progress then is cancelled.

import { isObject, type JsonObject } from "@keelson/protocol";
import { clean } from "../../screen/clean.ts";
import { fit } from "../../screen/rows.ts";
import type { Frame, Rendered, View } from "../../screen/view.ts";

const DEBOUNCE_MS = 300;
const MOST_ROWS = 5;

interface StatusLineOptions {
  /** `statusLine` of the settings. */
  readonly settings: unknown;
  run(input: JsonObject, signal: AbortSignal): Promise<string | undefined>;
  /** The rows changed. */
  changed(): void;
}

export class StatusLineView implements View {
  readonly #options: StatusLineOptions;
  readonly #enabled: boolean;
  readonly #padding: number;
  readonly #refreshMs: number | undefined;
  #dueMs: number | undefined;
  #lastMs = 0;
  #running: AbortController | undefined;
  #lines: readonly string[] = [];

  constructor(options: StatusLineOptions) {
    this.#options = options;
    const { type, command, padding, refreshInterval } = isObject(options.settings) ? options.settings : {};
    this.#enabled = type === "command" && typeof command === "string" && command !== "";
    this.#padding = typeof padding === "number" && padding > 0 ? Math.min(20, Math.floor(padding)) : 0;
    const seconds = typeof refreshInterval === "number" ? refreshInterval : undefined;
    this.#refreshMs = seconds === undefined ? undefined : Math.max(1, seconds) * 1000;
  }

  /** Something that the command may show has changed. `atOnce`: there is nothing to wait for, as at the start. */
  request(now: number, { atOnce = false }: { readonly atOnce?: boolean } = {}): void {
    if (this.#enabled) this.#dueMs = now + (atOnce ? 0 : DEBOUNCE_MS);
  }

  /** Milliseconds until `poll` has something to do. */
  nextChange(now: number): number | undefined {
    const due = this.#nextMs();
    return due === undefined ? undefined : Math.max(0, due - now);
  }

  /** Runs the command if it is time. */
  poll(now: number, input: () => JsonObject): void {
    const due = this.#nextMs();
    if (due === undefined || due > now) return;
    this.#dueMs = undefined;
    this.#lastMs = now;
    void this.#run(input());
  }

  /** Stops the command, at the end of the session. */
  close(): void {
    this.#dueMs = undefined;
    this.#running?.abort();
  }

  render({ columns, rows, theme }: Frame): Rendered {
    const pad = " ".repeat(Math.min(this.#padding, columns - 1));
    const lines = this.#lines.slice(0, Math.min(rows, MOST_ROWS));
    return { rows: lines.map((line) => pad + fit(colored(line, theme.colors > 0), columns - pad.length)) };
  }

  #nextMs(): number | undefined {
    if (this.#dueMs !== undefined) return this.#dueMs;
    // Refreshing starts after the first run, and never overlaps.
    if (this.#refreshMs === undefined || this.#lastMs === 0 || this.#running) return undefined;
    return this.#lastMs + this.#refreshMs;
  }

  async #run(input: JsonObject): Promise<void> {
    this.#running?.abort();
    const mine = new AbortController();
    this.#running = mine;
    const output = await this.#options.run(input, mine.signal).catch(() => undefined);
    if (this.#running !== mine) return;
    this.#running = undefined;
    if (mine.signal.aborted) return;
    const lines = (output ?? "").trimEnd() === "" ? [] : output!.trimEnd().split("\n");
    if (lines.join("\n") === this.#lines.join("\n")) return;
    this.#lines = lines;
    this.#options.changed();
  }
}

// oxlint-disable-next-line no-control-regex
const SEQUENCE = /(\u001b\[[\d;:]*m)|\u001b\]8;[^\u0007\u001b]*(?:\u0007|\u001b\\)/;
const RESET = "\u001b[0m";

/** Colors are kept, the text of links, too; everything else that a terminal would obey is shown instead. */
function colored(line: string, colors: boolean): string {
  const parts = line.replace(/\r$/, "").split(SEQUENCE);
  let painted = false;
  const text = parts.map((part, index) => {
    if (index % 2 === 0) return clean(part ?? "").replaceAll("\t", "  ");
    if (part === undefined || !colors) return "";
    painted = true;
    return part;
  });
  return text.join("") + (painted ? RESET : "");
}
