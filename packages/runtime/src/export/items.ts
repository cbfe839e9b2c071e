// What a reader of a session sees, one item after another, made from the entries of a transcript. Pure. Entries may come
// from any version of any compatible program, so every field is checked.

import { blocksOf, isObject, type ChainEntry, type ContentBlock, type ModelMessage } from "@keelson/protocol";

/** `at` is the time of its entry, in ISO format. */
export type Item = { readonly at?: string } & (
  | { readonly kind: "prompt"; readonly text: string; readonly media: readonly Media[]; readonly origin?: string }
  | { readonly kind: "reply"; readonly text: string; readonly model?: string }
  | { readonly kind: "thinking"; readonly text: string }
  | { readonly kind: "call"; readonly id: string; readonly tool: string; readonly input: unknown }
  | {
      readonly kind: "result";
      readonly id: string;
      /** Undefined if the call is not in the conversation. */
      readonly tool?: string;
      readonly text: string;
      readonly media: readonly Media[];
      readonly isError: boolean;
      /** How it changed a file, as its tool reported it. */
      readonly output?: unknown;
      /** From the call to its result. */
      readonly durationMs?: number;
    }
  | {
      readonly kind: "compaction";
      /** `results`: only old results of tools were taken out. */
      readonly what: "conversation" | "results";
      readonly trigger?: string;
      readonly tokensBefore?: number;
      readonly tokensAfter?: number;
    }
  | { readonly kind: "summary"; readonly text: string }
  | { readonly kind: "note"; readonly level: string; readonly text: string }
  /** Text that the program added for the model. */
  | { readonly kind: "context"; readonly about: string; readonly text: string }
);

export interface Media {
  readonly type: "image" | "document";
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** Makes items of entries; remembers the calls that wait for their result. */
export function itemMaker(): (entry: ChainEntry) => readonly Item[] {
  const open = new Map<string, { readonly tool: string; readonly at: number }>();
  return (entry) => {
    const fields = entry as object as Fields;
    const at = textIn(fields, "timestamp");
    const items = itemsOf(entry.type, fields).map((item): Item => {
      if (item.kind === "call") open.set(item.id, { tool: item.tool, at: Date.parse(at ?? "") });
      if (item.kind !== "result") return item;
      const call = open.get(item.id);
      open.delete(item.id);
      if (!call) return item;
      const ranMs = fields["toolDurationMs"];
      // Other programs do not record how long a call ran.
      const durationMs = typeof ranMs === "number" ? ranMs : Date.parse(at ?? "") - call.at;
      return { ...item, tool: call.tool, ...(durationMs >= 0 ? { durationMs } : {}) };
    });
    return at === undefined ? items : items.map((item) => ({ at, ...item }));
  };
}

/** The items of messages that are in no transcript. */
export function itemsOfMessages(messages: readonly ModelMessage[]): readonly Item[] {
  const make = itemMaker();
  return messages.flatMap(({ role, content }) => make({ type: role, message: { content } } as object as ChainEntry));
}

type Fields = Readonly<Record<string, unknown>>;

function itemsOf(type: string, fields: Fields): readonly Item[] {
  const message = isObject(fields["message"]) ? fields["message"] : {};
  if (type === "user") return userItems(fields, contentOf(message["content"]));
  if (type === "assistant") return replyItems(fields, message);
  if (type === "system") return systemItems(fields);
  return type === "attachment" ? attachmentItems(fields) : [];
}

function userItems(fields: Fields, blocks: readonly ContentBlock[]): readonly Item[] {
  if (fields["isCompactSummary"] === true) return [{ kind: "summary", text: textsOf(blocks) }];
  const results = blocks.filter(isResult);
  // What a tool reports belongs to the one result of its message.
  if (results.length > 0) return results.map((block) => resultItem(block, results.length === 1 ? fields : {}));
  const isOwn = ({ text }: Fields) => typeof text === "string" && text.trimStart().startsWith("<system-reminder>");
  const added = blocks.filter((block) => isOwn(block as Fields));
  const context: readonly Item[] = added.map((block) => contextItem("reminder", textsOf([block])));
  const said = blocks.filter((block) => !added.includes(block));
  const text = textsOf(said);
  if (fields["isMeta"] === true) return [...context, ...(text === "" ? [] : [contextItem("meta", text)])];
  const media = said.flatMap(mediaOf);
  if (text === "" && media.length === 0) return context;
  const output = commandOutput(text);
  if (output !== undefined)
    return output === "" ? context : [...context, { kind: "note", level: "info", text: output }];
  if (/^\[Request interrupted by user(?: for tool use)?\]$/.test(text)) {
    return [...context, { kind: "note", level: "warning", text: "Interrupted by the user" }];
  }
  const origin = isObject(fields["origin"]) ? textIn(fields["origin"], "kind") : undefined;
  return [...context, { kind: "prompt", text: typedText(text), media, ...(origin === undefined ? {} : { origin }) }];
}

/** A typed command is stored in tags. */
function typedText(text: string): string {
  const name = /^<command-(?:name|message)>/.test(text) ? inTag(text, "command-name") : undefined;
  if (name === undefined) return text;
  const args = inTag(text, "command-args") ?? "";
  return args === "" ? name : `${name} ${args}`;
}

/** What a command printed, if the text is that. */
const commandOutput = (text: string) =>
  text.startsWith("<local-command-std")
    ? (inTag(text, "local-command-stdout") ?? inTag(text, "local-command-stderr"))
    : undefined;

function inTag(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`);
  const end = text.lastIndexOf(`</${tag}>`);
  return start < 0 || end < start ? undefined : text.slice(start + tag.length + 2, end).trim();
}

function resultItem(block: ContentBlock, entry: Fields = {}): Item {
  const output = changeIn(entry["toolUseResult"]);
  const { tool_use_id: id, content, is_error: failed } = block as Fields;
  const blocks = contentOf(content);
  return {
    kind: "result",
    id: String(id),
    text: textsOf(blocks, "\n"),
    media: blocks.flatMap(mediaOf),
    isError: failed === true,
    ...(output === undefined ? {} : { output }),
  };
}

/** Undefined if no file was changed. */
function changeIn(value: unknown): object | undefined {
  if (!isObject(value) || !Array.isArray(value["structuredPatch"])) return undefined;
  const { type, filePath, structuredPatch, content } = value;
  return { filePath, structuredPatch, ...(type === "create" ? { type, content } : {}) };
}

function replyItems(fields: Fields, message: Fields): readonly Item[] {
  const model = textIn(message, "model");
  return contentOf(message["content"]).flatMap((block): readonly Item[] => {
    const { type, text, thinking, id, name, input } = block as Fields;
    if (type === "text" && typeof text === "string") {
      if (text === "") return [];
      if (fields["isApiErrorMessage"] === true) return [{ kind: "note", level: "error", text }];
      return [{ kind: "reply", text, ...(model === undefined || model === "<synthetic>" ? {} : { model }) }];
    }
    if (type === "thinking" && typeof thinking === "string")
      return thinking === "" ? [] : [{ kind: "thinking", text: thinking }];
    if (typeof type === "string" && type.endsWith("tool_use")) {
      return [{ kind: "call", id: String(id), tool: typeof name === "string" ? name : "unknown tool", input }];
    }
    return isResult(block) ? [resultItem(block)] : [];
  });
}

/** Hooks and settings report most; what only programs need is left out. */
function systemItems(fields: Fields): readonly Item[] {
  const { subtype } = fields;
  if (subtype === "compact_boundary") {
    const about = objectIn(fields, "compactMetadata");
    return [compaction("conversation", about, numberIn(about, "postTokens"))];
  }
  if (subtype === "microcompact_boundary") {
    const about = objectIn(fields, "microcompactMetadata");
    const [before, saved] = [numberIn(about, "preTokens"), numberIn(about, "tokensSaved")];
    return [compaction("results", about, before === undefined || saved === undefined ? undefined : before - saved)];
  }
  if (subtype === "api_error") {
    const error = objectIn(fields, "error");
    const text = textIn(error, "formatted") ?? textIn(error, "message") ?? "A model request failed";
    return [{ kind: "note", level: "error", text }];
  }
  const content = textIn(fields, "content");
  if (content === undefined || content === "") return [];
  const text = commandOutput(content) ?? content;
  return text === "" ? [] : [{ kind: "note", level: textIn(fields, "level") ?? "info", text }];
}

function compaction(what: "conversation" | "results", about: Fields, after: number | undefined): Item {
  const [trigger, before] = [textIn(about, "trigger"), numberIn(about, "preTokens")];
  return {
    kind: "compaction",
    what,
    ...(trigger === undefined ? {} : { trigger }),
    ...(before === undefined ? {} : { tokensBefore: before }),
    ...(after === undefined ? {} : { tokensAfter: after }),
  };
}

function attachmentItems(fields: Fields): readonly Item[] {
  const about = textIn(objectIn(fields, "attachment"), "type") ?? "attachment";
  const rendered = Array.isArray(fields["rendered"]) ? fields["rendered"].filter(isObject) : [];
  const text = rendered.map(({ content }) => textsOf(contentOf(content))).join("\n");
  return [contextItem(about, text)];
}

const contextItem = (about: string, text: string): Item => ({ kind: "context", about, text });

/** The content of a message from a file, whatever it is. */
function contentOf(content: unknown): readonly ContentBlock[] {
  if (typeof content !== "string" && !Array.isArray(content)) return [];
  return blocksOf(content as ModelMessage["content"]).filter(
    (block) => isObject(block) && typeof block.type === "string",
  );
}

const isResult = (block: ContentBlock) => block.type.endsWith("tool_result");

function textsOf(blocks: readonly ContentBlock[], between = "\n\n"): string {
  const texts = blocks.map((block) => (block.type === "text" ? (block as Fields)["text"] : undefined));
  return texts.filter((text) => typeof text === "string").join(between);
}

function mediaOf(block: ContentBlock): readonly Media[] {
  if (block.type !== "image" && block.type !== "document") return [];
  const source = objectIn(block as Fields, "source");
  const data = textIn(source, "data") ?? "";
  return [
    { type: block.type === "image" ? "image" : "document", mediaType: textIn(source, "media_type") ?? "unknown", data },
  ];
}

function objectIn(fields: Fields, key: string): Fields {
  const value = fields[key];
  return isObject(value) ? value : {};
}

function textIn(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === "string" ? value : undefined;
}

function numberIn(fields: Fields, key: string): number | undefined {
  const value = fields[key];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}
