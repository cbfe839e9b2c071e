// `@path` in a text: the file is read as if the model had called Read, with the same rules, limits and record of what it
// has seen. Whatever is not a file, or may not be read without asking, stays ordinary text.

import { reminder, type Access, type PermitRequest, type Ports, type Tool } from "@keelson/engine";
import { realPathOf } from "@keelson/disk/real-path";
import {
  asReminder,
  blocksOf,
  isObject,
  isToolResult,
  NOTHING_SAID,
  type ContentBlock,
  type JsonObject,
  type NewEntry,
  type ToolUseBlock,
} from "@keelson/protocol";
import { relative } from "node:path";
import type { Gate } from "../gate/gate.ts";
import { callUnasked } from "./unasked-call.ts";
import { findMentions, type Mention, type MentionReading } from "./find-mentions.ts";
import { contains, listFolder } from "./list-folder.ts";

/** Each is looked up on disk. A long text that was pasted may have thousands. */
const MAX_LOOKED_UP = 50;
const MAX_READ = 20;
/** About 50,000 tokens: then no further file is read. One file can have half of that. */
const MAX_CHARACTERS = 200_000;
/** The same for images and PDFs: base64, and the API accepts 32 MB in all. */
const MAX_MEDIA_CHARACTERS = 10_000_000;

export interface MentionPorts extends Ports {
  readonly gate: Pick<Gate, "decide" | "ruleBook">;
  /** The Read tool. */
  readonly read: Tool;
}

export interface MentionOptions {
  /** Only files in the working directories, whatever the rules allow. For text that the user did not type. */
  readonly insideOnly?: boolean;
}

/** One entry for each file or folder, in the order of the text. Never rejects. What a file says is not searched. */
export async function mentionedFiles(
  text: string,
  ports: MentionPorts,
  options: MentionOptions = {},
): Promise<readonly NewEntry[]> {
  const mentions = findMentions(text, MAX_LOOKED_UP);
  const entries: NewEntry[] = [];
  const done = new Set<string>();
  const leftOut: string[] = [];
  let characters = 0;
  let media = 0;
  for (const mention of mentions) {
    const target = await firstTarget(mention, ports, options);
    if (!target || done.has(target.key)) continue;
    done.add(target.key);
    if (done.size > MAX_READ || characters > MAX_CHARACTERS || media > MAX_MEDIA_CHARACTERS) {
      leftOut.push(target.path);
      continue;
    }
    const read = await (target.kind === "directory" ? folderEntry(target, ports) : fileEntry(target, ports));
    entries.push(...behind(target, read, ports));
    const size = sizeOf(read?.entry);
    characters += size.characters;
    media += size.media;
  }
  if (leftOut.length > 0) entries.push(leftOutEntry(leftOut, ports.newId()));
  return entries;
}

/** The first part of a file, for a model that has seen it before. Empty if it may not read it now, or it has no text. */
export async function seenFile(path: string, lines: number, ports: MentionPorts): Promise<readonly NewEntry[]> {
  const target = await targetOf({ path, lines: { first: 1, last: lines } }, ports, {}).catch(() => undefined);
  const read = target?.kind === "file" ? await fileEntry(target, ports) : undefined;
  if (!target || read?.entry.type !== "attachment" || !isText(read.entry.attachment["content"])) return [];
  return behind(target, read, ports);
}

/** What was read, and behind it what hooks and instruction files say to it. */
function behind({ request }: Target, read: ReadEntry | undefined, ports: MentionPorts): readonly NewEntry[] {
  const said = [...(read?.context ?? []), ...ports.instructionsFor(request.access)];
  return [...(read ? [read.entry] : []), ...said.map((text) => reminder(text, ports.newId()))];
}

interface ReadEntry {
  readonly entry: NewEntry;
  /** What hooks say to it. */
  readonly context: readonly string[];
}

const isText = (content: unknown) => isObject(content) && content["type"] === "text";

/** A file or folder that the gate lets the model read. */
interface Target {
  readonly kind: "file" | "directory";
  readonly key: string;
  readonly path: string;
  readonly request: PermitRequest;
}

async function firstTarget(
  { readings }: Mention,
  ports: MentionPorts,
  options: MentionOptions,
): Promise<Target | undefined> {
  for (const reading of readings) {
    if (ports.signal.aborted) return undefined;
    const target = await targetOf(reading, ports, options).catch(() => undefined);
    if (target) return target;
  }
  return undefined;
}

async function targetOf(
  { path: given, lines }: MentionReading,
  { gate, read, context: contextOf, newId }: MentionPorts,
  { insideOnly }: MentionOptions,
): Promise<Target | undefined> {
  const range = lines ? { offset: lines.first, limit: lines.last - lines.first + 1 } : {};
  const named: ToolUseBlock = { type: "tool_use", id: newId(), name: read.name, input: { file_path: given, ...range } };
  const { path } = (await read.access(named.input, contextOf(named))) as Access & { path: string };
  const input: JsonObject = { file_path: path, ...range };
  const call: ToolUseBlock = { ...named, input };
  const request: PermitRequest = { call, tool: read, input, access: { kind: "read", path }, hook: NOTHING_SAID };
  // No one is asked: the model can still call Read, and then the user decides.
  if ((await gate.decide(request)).behavior !== "allow") return undefined;
  const context = contextOf(call);
  const stat = await context.files.stat(path);
  if (!stat || stat.kind === "other") return undefined;
  if (insideOnly && !context.workspace.directories.some((each) => contains(realPathOf(each), stat.realPath)))
    return undefined;
  return { kind: stat.kind, key: JSON.stringify([stat.realPath, range]), path, request };
}

/** Undefined if the model has already seen the file as it is now, or a hook refuses. */
async function fileEntry(
  { path, request: { call, input, tool } }: Target,
  ports: MentionPorts,
): Promise<ReadEntry | undefined> {
  // A mention works without Read among the tools of the model.
  const options = { ports: { ...ports, tools: () => [tool] }, gate: ports.gate, advice: "" };
  const { output, failed, denial, entry, context = [] } = await callUnasked(call, options);
  if (denial || (isObject(output) && output["type"] === "file_unchanged")) return undefined;
  const called = asReminder(`Called the ${tool.name} tool with the following input: ${JSON.stringify(input)}`);
  const opening = `Result of calling the ${tool.name} tool:`;
  const { shown, beside } = partsOf(entry);
  if (failed) {
    const why = typeof shown === "string" ? shown.replace(/<\/?tool_use_error>/g, "") : "The file cannot be read";
    const about = { type: "keelson_mention", path, error: why };
    return { entry: attachment(about, [text(called), text(asReminder(`${opening}\n${why}`))], ports.newId()), context };
  }
  const result: readonly ContentBlock[] =
    typeof shown === "string" && beside.length === 0
      ? [text(asReminder(`${opening}\n${shown}`))]
      : [text(asReminder(`${opening} see below`)), ...[...blocksOf(shown), ...beside].map(harmless)];
  const { cwd } = ports.context(call).workspace;
  const about = { type: "file", filename: path, displayPath: relative(cwd, path), content: output };
  return { entry: attachment(about, [text(called), ...result], ports.newId()), context };
}

/** The content of a result, and what comes with it, such as a PDF. */
function partsOf(entry: NewEntry): { shown: string | readonly ContentBlock[]; beside: readonly ContentBlock[] } {
  const blocks = entry.type === "user" ? blocksOf(entry.message.content) : [];
  const result = blocks.find(isToolResult);
  return { shown: result?.content ?? "", beside: blocks.filter((block) => !isToolResult(block)) };
}

/** A call of Read for hooks and the gate, whose result is the names in the folder. Undefined if a hook refuses. */
async function folderEntry(
  { path, request: { call, tool } }: Target,
  ports: MentionPorts,
): Promise<ReadEntry | undefined> {
  const { name, description, input, access } = tool;
  const lists: Tool<{ file_path: string }, FolderNames> = {
    name,
    description,
    input,
    access,
    run: async ({ file_path: folder }, context) => ({ type: "directory", content: await listFolder(folder, context) }),
    show: ({ content }) => content,
  };
  const options = { ports: { ...ports, tools: () => [lists] }, gate: ports.gate, advice: "" };
  const { output, failed, denial, context = [] } = await callUnasked(call, options);
  if (failed || denial) return undefined;
  const { content } = output as FolderNames;
  const about = { type: "directory", path, content, displayPath: relative(ports.context(call).workspace.cwd, path) };
  const names = text(asReminder(`The folder ${path} has these entries:\n${content}`));
  return { entry: attachment(about, [names], ports.newId()), context };
}

interface FolderNames {
  readonly type: "directory";
  readonly content: string;
}

function leftOutEntry(paths: readonly string[], uuid: string): NewEntry {
  const message = `These files are mentioned too, but were not read because together they are too long. Read what you need:`;
  const about = { type: "keelson_mention", paths };
  return attachment(about, [text(asReminder([message, ...paths].join("\n")))], uuid);
}

function attachment(
  about: { readonly type: string; readonly [key: string]: unknown },
  content: readonly ContentBlock[],
  uuid: string,
): NewEntry {
  return { type: "attachment", uuid, attachment: about, rendered: [{ content }], renderedRole: "user" };
}

const text = (value: string): ContentBlock => ({ type: "text", text: value });

/** Text between images is not in a reminder, so that its order stays; it must not look like one. */
const harmless = (block: ContentBlock): ContentBlock =>
  block.type === "text" ? text(asReminder((block as { text: string }).text)) : block;

function sizeOf(entry: NewEntry | undefined): { readonly characters: number; readonly media: number } {
  const size = { characters: 0, media: 0 };
  if (entry?.type !== "attachment") return size;
  for (const block of entry.rendered?.flatMap(({ content }) => content as readonly ContentBlock[]) ?? []) {
    if (block.type === "text") size.characters += (block as { text: string }).text.length;
    else size.media += JSON.stringify(block).length;
  }
  return size;
}
