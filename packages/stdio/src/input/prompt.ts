// The prompt of a headless run: the command-line argument and the text piped in.

export interface PromptSources {
  /** The prompt from the command line. */
  readonly argument: string | undefined;
  /** Absent when standard input is a terminal. */
  readonly piped: AsyncIterable<Uint8Array> | undefined;
  /** Resolves after `ms` milliseconds, or when aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Prints a line to standard error. */
  note(text: string): void;
}

export type GatheredPrompt =
  | { readonly kind: "prompt"; readonly text: string }
  | { readonly kind: "none" }
  | { readonly kind: "too_long"; readonly message: string };

const SILENCE_MS = 3_000;
const MAX_BYTES = 10 * 1024 * 1024;

/** Argument, newline, piped text. Either may be missing. */
export async function gatherPrompt(sources: PromptSources): Promise<GatheredPrompt> {
  const { argument } = sources;
  const piped = sources.piped === undefined ? "" : await readPiped(sources.piped, sources);
  if (piped === undefined) {
    return { kind: "too_long", message: `stdin is longer than ${MAX_BYTES / 1024 / 1024} MiB; put the text in a file` };
  }
  const text = [argument, piped].filter((part) => part !== undefined && part !== "").join("\n");
  return text.trim() === "" ? { kind: "none" } : { kind: "prompt", text };
}

/**
 * Reads to the end. An inherited stream may stay open and silent forever, so with a prompt argument stdin is ignored
 * when nothing arrives for a while. Undefined when there is too much.
 */
async function readPiped(
  stdin: AsyncIterable<Uint8Array>,
  { argument, wait, note }: PromptSources,
): Promise<string | undefined> {
  const chunks = stdin[Symbol.asyncIterator]();
  const first = chunks.next();
  const spoke = new AbortController();
  const silent = wait(SILENCE_MS, spoke.signal).then(() => "silent" as const);
  if ((await Promise.race([first, silent])) === "silent") {
    if (argument !== undefined) {
      first.catch(() => undefined);
      note("warning: no data on stdin after 3 seconds, continuing without it; use < /dev/null to skip the wait");
      return "";
    }
    note("Reading the prompt from stdin...");
  }
  spoke.abort();

  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for (let item = await first; !item.done; item = await chunks.next()) {
    bytes += item.value.length;
    if (bytes > MAX_BYTES) return undefined;
    text += decoder.decode(item.value, { stream: true });
  }
  return text + decoder.decode();
}
