// What is in an exported session, one line of JSON for each thing, and the items that are drawn of it. A call and its result are
// one item.

import { isAgentCall, labelOf, type CallItem } from "@keelson/client";
import { isList, isObject, tryParse, type JsonObject } from "@keelson/protocol";
import { signal } from "@preact/signals";
import type { ItemCell, PageItem } from "../session/items.ts";
import { MarkdownText } from "../transcript/markdown-text.ts";

export interface Entry {
  /** Of a link to it. */
  readonly id: string;
  readonly cell?: ItemCell;
  /** Text that was added for the model. */
  readonly context?: { readonly about: string; readonly text: string };
  /** The conversation of a subagent begins here. */
  readonly agent?: { readonly title: string; readonly facts: string };
  /** Milliseconds since 1970. */
  readonly at: number | undefined;
  readonly isPrompt: boolean;
  /** What a search looks at. */
  text(): string;
}

export interface Fact {
  readonly name: string;
  readonly value: string;
}

export interface ExportedDocument {
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly entries: readonly Entry[];
  readonly losses: readonly string[];
}

export function readDocument(text: string): ExportedDocument {
  const entries: Entry[] = [];
  const losses: string[] = [];
  const facts: Fact[] = [];
  const calls = new Map<string, { readonly call: CallItem; readonly pictures: string[] }>();
  let title = "";
  let cwd = "";
  for (const line of text.split("\n")) {
    const said: unknown = tryParse(line);
    if (!isObject(said)) continue;
    const words = (key: string) => (isWords(said[key]) ? said[key] : "");
    const time = Date.parse(words("at"));
    const place = { id: `m${entries.length + 1}`, at: Number.isNaN(time) ? undefined : time };
    const add = (item: PageItem, pictures: readonly string[], shown: () => string, isPrompt = false) =>
      void entries.push({ ...place, cell: cellOf(entries.length, item, pictures), isPrompt, text: shown });
    switch (said["kind"]) {
      case "session":
        title = words("title");
        cwd = words("cwd");
        facts.push(...factsIn(said["facts"]));
        break;
      case "prompt": {
        const pictures = picturesIn(said["media"]);
        const from = words("origin") === "" ? {} : { from: words("origin") };
        const item = {
          kind: "prompt",
          text: words("text"),
          as: "prompt",
          images: countOf(said["media"]),
          ...from,
        } as const;
        add(item, pictures, () => words("text"), true);
        break;
      }
      case "reply":
        add({ kind: "answer", text: markdown(words("text")), done: true }, [], () => words("text"));
        break;
      case "thinking":
        add({ kind: "thinking", text: words("text"), startedMs: 0, done: true }, [], () => words("text"));
        break;
      case "call": {
        const call = callOf(said, words, cwd);
        const pictures: string[] = [];
        calls.set(call.id, { call, pictures });
        add(call, pictures, () => [call.name, JSON.stringify(call.input), call.result?.text ?? ""].join("\n"));
        break;
      }
      case "result": {
        const known = calls.get(words("id"));
        const cut = words("cut") === "" ? "" : `\n\n${words("cut")}`;
        const result = {
          text: words("text") + cut,
          images: countOf(said["media"]),
          isError: said["isError"] === true,
          ...(said["output"] === undefined ? {} : { output: said["output"] }),
        };
        if (known === undefined) {
          add({ kind: "output", text: result.text, as: "plain", isError: result.isError }, [], () => result.text);
          break;
        }
        known.pictures.push(...picturesIn(said["media"]));
        known.call.result = isAgentCall(known.call.name) ? { ...result, output: report(result.text) } : result;
        known.call.state = result.isError ? "failed" : "done";
        if (typeof said["durationMs"] === "number") known.call.durationMs = said["durationMs"];
        break;
      }
      case "compaction":
      case "rule":
        add({ kind: "rewind", text: words("text") }, [], () => words("text"));
        break;
      case "summary":
        add({ kind: "summary", text: words("text") }, [], () => words("text"));
        break;
      case "note": {
        const level = words("level") === "error" ? "error" : words("level") === "warning" ? "warning" : "info";
        add({ kind: "note", level, text: words("text") }, [], () => words("text"));
        break;
      }
      case "context": {
        const context = { about: words("about"), text: words("text") };
        if (context.text !== "") entries.push({ ...place, context, isPrompt: false, text: () => context.text });
        break;
      }
      case "agent": {
        const agent = {
          title: words("title"),
          facts: factsIn(said["facts"])
            .map(({ value }) => value)
            .join(" · "),
        };
        entries.push({ ...place, agent, isPrompt: false, text: () => agent.title });
        break;
      }
      case "loss":
        losses.push(words("text"));
        break;
    }
  }
  return { title, facts, entries, losses };
}

function callOf(said: Readonly<Record<string, unknown>>, words: (key: string) => string, cwd: string): CallItem {
  const input = isObject(said["input"]) ? (said["input"] as JsonObject) : {};
  const named = { name: words("tool"), input };
  return {
    kind: "call",
    id: words("id"),
    ...named,
    label: labelOf(named, undefined, cwd),
    // Until its result is read. One that has none did not come to its end.
    state: "interrupted",
    written: 0,
    startedMs: 0,
    inBackground: false,
  };
}

/** As a tool reports what its agent said, so that it is drawn as Markdown. */
const report = (text: string) => ({ content: [{ type: "text", text }] });

function cellOf(key: number, item: PageItem, pictures: readonly string[]): ItemCell {
  return { key, item, version: signal(0), pictures: () => pictures };
}

/** Read when it is drawn: all of a long session would hold the page up. */
function markdown(text: string): MarkdownText {
  const unread = new MarkdownText();
  unread.push(text);
  return unread;
}

const countOf = (media: unknown) => (isList(media) ? media.length : 0);

const TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Only what is certainly a picture of a known kind becomes an address. */
function picturesIn(media: unknown): readonly string[] {
  if (!isList(media)) return [];
  return media.flatMap((one) => {
    if (!isObject(one)) return [];
    const { type, mediaType, data } = one;
    const isPicture = type === "image" && isWords(mediaType) && TYPES.has(mediaType) && isWords(data);
    return isPicture && /^[A-Za-z0-9+/]+={0,2}$/.test(data) ? [`data:${mediaType};base64,${data}`] : [];
  });
}

function factsIn(value: unknown): readonly Fact[] {
  if (!isList(value)) return [];
  return value.flatMap((row) => {
    const [name, text] = isList(row) ? row : [];
    return isWords(name) && isWords(text) ? [{ name, value: text }] : [];
  });
}

const isWords = (value: unknown): value is string => typeof value === "string";
