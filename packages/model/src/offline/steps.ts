// How each step is done: which tools it calls and what it says at the end. A step is a generator, so running it again
// with the results so far leads to the next call.

import type { JsonObject } from "@keelson/protocol";
import type { Result } from "./conversation.ts";
import { contentOf, type OfflineCall, type Doing, type OfflineOutcome } from "./doing.ts";
import type { OfflineStep } from "./parse.ts";
import { projectFiles } from "./project-files.ts";
import { summarise } from "./summary.ts";
import { abilities, toolFailure, fenced, headOf, unclear } from "./texts.ts";

/** `tools` are the tools on offer. */
export function perform(step: OfflineStep, tools: ReadonlySet<string>): Doing {
  switch (step.kind) {
    case "list":
      return list(step.pattern, step.folder, tools);
    case "find":
      return find(step.pattern, step.folder, tools);
    case "search":
      return search(step.text, step.where);
    case "read":
      return read(step.path, step.from, step.to);
    case "run":
      return run(step.command);
    case "create":
      return create(step.path, step.content);
    case "append":
      return append(step.path, step.content);
    case "replace":
      return replace(step);
    case "summarise":
      return summarise();
    case "help":
      return say({ text: abilities() });
    case "unclear":
      return say({ text: unclear(step.source), stop: true });
  }
}

function* say(outcome: OfflineOutcome): Doing {
  return outcome;
}

/** Makes one call. */
function* attempt(name: string, input: JsonObject): Generator<readonly OfflineCall[], Result, readonly Result[]> {
  const [result] = yield [{ name, input }];
  return result ?? { text: "No answer came", failed: true };
}

function failed(tool: string, { text }: Result): OfflineOutcome {
  return { text: toolFailure(tool, text), stop: true };
}

function* list(pattern: string, folder: string | undefined, tools: ReadonlySet<string>): Doing {
  const found = yield* projectFiles(pattern, folder, tools);
  if (!found.ok) return failed("Glob", found.result);
  const where = folder ? ` in ${folder}` : "";
  if (found.paths.length === 0) return { text: `There are no ${kindOf(pattern)}${where}.` };
  return { text: `The ${kindOf(pattern)}${where}:\n\n${fenced(firstOf(found.paths))}` };
}

const MOST_SHOWN = 200;

function firstOf(paths: readonly string[]): string {
  const more = paths.length > MOST_SHOWN ? [`… and ${paths.length - MOST_SHOWN} more`] : [];
  return [...paths.slice(0, MOST_SHOWN), ...more].join("\n");
}

function kindOf(pattern: string): string {
  return pattern === "*" ? "files" : `files matching \`${pattern}\``;
}

function* find(pattern: string, folder: string | undefined, tools: ReadonlySet<string>): Doing {
  const found = yield* projectFiles(pattern, folder, tools);
  if (!found.ok) return failed("Glob", found.result);
  if (found.paths.length === 0) return { text: `No file matches \`${pattern}\`.` };
  return { text: `Files matching \`${pattern}\`:\n\n${fenced(firstOf(found.paths))}` };
}

function* search(text: string, where?: string): Doing {
  const pattern = text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  const found = yield* attempt("Grep", {
    pattern,
    output_mode: "content",
    "-n": true,
    ...(where ? { path: where } : {}),
  });
  if (found.failed) return failed("Grep", found);
  const place = where ? ` in ${where}` : "";
  if (/^No (?:matches|files) found/.test(found.text)) return { text: `"${text}" does not occur${place}.` };
  return { text: `Where "${text}" occurs${place}:\n\n${fenced(headOf(found.text))}` };
}

function* read(path: string, from?: number, to?: number): Doing {
  const range = from !== undefined && to !== undefined ? { offset: from, limit: to - from + 1 } : {};
  const shown = yield* attempt("Read", { file_path: path, ...range });
  if (shown.failed) return failed("Read", shown);
  const lines = contentOf(shown.text.replace(GOES_ON, ""))?.replace(/\n$/, "");
  const title = from === undefined ? path : `${path}, lines ${from}–${to}`;
  return { text: `${title}:\n\n${fenced(headOf(lines ?? shown.text))}` };
}

/** What Read says below a part of a file. */
const GOES_ON = /\n\n\((?:The file goes on|Too long to show at once)[^\n]*\)$/;

function* run(command: string): Doing {
  const result = yield* attempt("Bash", { command, description: `Run ${command.slice(0, 60)}` });
  if (!result.failed && /^\(Bash completed with no output\)$|^$/.test(result.text)) {
    return { text: `\`${command}\` ran and printed nothing.` };
  }
  if (!result.failed) return { text: `\`${command}\` ran. Its output:\n\n${fenced(headOf(result.text))}` };
  const code = /^Exit code (\d+)\n?/.exec(result.text);
  if (!code) return failed("Bash", result);
  const output = result.text.slice(code[0].length);
  const shown = output.trim() === "" ? "It printed nothing." : `Its output:\n\n${fenced(headOf(output))}`;
  return { text: `\`${command}\` failed with exit code ${code[1]}. ${shown}`, stop: true };
}

function* create(path: string, content: string): Doing {
  const written = yield* attempt("Write", { file_path: path, content });
  if (written.failed) return failed("Write", written);
  const size = content.length === 1 ? "1 character" : `${content.length} characters`;
  return { text: `I wrote ${path} (${size}).` };
}

function* replace({ path, from, to, all }: OfflineStep & { readonly kind: "replace" }): Doing {
  const shown = yield* attempt("Read", { file_path: path });
  if (shown.failed) return failed("Read", shown);
  const edited = yield* attempt("Edit", {
    file_path: path,
    old_string: from,
    new_string: to,
    ...(all ? { replace_all: true } : {}),
  });
  if (!edited.failed) return { text: `I replaced ${all ? "every " : ""}"${from}" with "${to}" in ${path}.` };
  if (!/^(?:<tool_use_error>)?Found \d+ matches/.test(edited.text)) return failed("Edit", edited);
  const outcome = failed("Edit", edited);
  return {
    ...outcome,
    text: `${outcome.text}\n\nTo change them all, ask: replace all "${from}" with "${to}" in ${path}`,
  };
}

/** Adds after the last line, with Edit instead of Write, because Read may not have shown the whole file. */
function* append(path: string, content: string): Doing {
  const shown = yield* attempt("Read", { file_path: path });
  if (shown.failed) return failed("Read", shown);
  const done: OfflineOutcome = { text: `I added the text to the end of ${path}.` };
  const added = content.replace(/\n+$/, "");
  const body = contentOf(shown.text)?.replace(/\n+$/, "");
  if (body === "") {
    const written = yield* attempt("Write", { file_path: path, content: `${added}\n` });
    return written.failed ? failed("Write", written) : done;
  }
  const tail = body && uniqueTail(body);
  if (!tail) return { text: `I could not find a unique end of ${path}, so I did not change it.`, stop: true };
  const edited = yield* attempt("Edit", { file_path: path, old_string: tail, new_string: `${tail}\n${added}` });
  return edited.failed ? failed("Edit", edited) : done;
}

/** The shortest tail of whole lines that occurs only once; undefined when it would be too long. */
export function uniqueTail(text: string): string | undefined {
  for (let from = text.length; from > 0;) {
    from = text.lastIndexOf("\n", from - 1);
    const tail = text.slice(from + 1);
    if (tail.length > LONGEST_TAIL) return undefined;
    if (tail.trim() !== "" && text.indexOf(tail) === text.length - tail.length) return tail;
  }
  return undefined;
}

const LONGEST_TAIL = 4_000;
