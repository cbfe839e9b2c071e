// Turns a prompt into entries: what the user typed, and what hooks add to it.

import {
  asReminder,
  blocksOf,
  textOf,
  type ContentBlock,
  type HookOutcome,
  type NewEntry,
  type PermissionMode,
  type PromptMessage,
  type UserSubject,
} from "@keelson/protocol";
import { fitted } from "../tool/tool-outcome.lazy.ts";
import type { ExpandedPrompt, Ports, PromptExpansion } from "../ports.ts";

export interface Admission {
  readonly entries: readonly NewEntry[];
  /** Set when a hook blocked the prompt; the model is not asked. */
  readonly blocked?: string;
  /** Runs once the entries are recorded, and adds more. */
  after?(): Promise<readonly NewEntry[]>;
  /** Set when the work is already done; the entries tell the model of it with the next prompt. */
  readonly answer?: string;
  /** Set when the prompt was a command that needs no model. */
  readonly answered?: { readonly command: string; readonly text: string };
}

export async function admit(prompt: PromptMessage, mode: PermissionMode, ports: Ports): Promise<Admission> {
  const text = textOf(prompt.message.content);
  if (prompt.shell) {
    // Loaded on first use: most prompts are no commands.
    const { admitShell } = await import("./shell-prompt.ts");
    return admitShell(prompt.shell, prompt, mode, ports);
  }
  // Text that a client composed itself is taken as it is.
  const isTyped = prompt.client_composed !== true;
  const expansion = isTyped ? await ports.expand?.(text) : undefined;
  if (expansion?.kind === "local") {
    // Loaded on first use: most prompts are no commands.
    const { answerLocally } = await import("./local-command.ts");
    return answerLocally(expansion, prompt, mode, ports);
  }
  const promptId = ports.newId();
  const expanded = await render(expansion, text, promptId, ports);
  if (expanded.refused) return blockPrompt(expanded.refused, text, ports);
  if (expanded.failed !== undefined) return block(expanded.failed, "command_failed", expanded.failed, ports);
  const said = await ports.fire("UserPromptSubmit", {
    prompt_id: promptId,
    prompt: text,
    ...sourceOf(prompt),
  });
  if (isRefusal(said)) return blockPrompt(said, text, ports);
  for (const each of stackOf(expansion)) each.admitted?.();
  const message = await fittedMessage(prompt, ports);
  const media = blocksOf(message.content).filter(({ type }) => type !== "text");
  const typed: NewEntry = {
    type: "user",
    uuid: prompt.uuid ?? ports.newId(),
    promptId,
    message: expanded.content ? { role: "user", content: [...expanded.content, ...media] } : message,
    permissionMode: mode,
    ...byUserOf(prompt, expanded.content ? text : undefined),
    ...(prompt.origin ? { isMeta: true, origin: prompt.origin } : { promptSource: "sdk" }),
  };
  // Context from hooks goes before the prompt, so the prompt is what the model reads last
  // (test/conformance/hooks/rows/prompts.ts).
  const context = [...automatic(prompt), ...expanded.context, ...said.context].map((each) =>
    reminder(each, ports.newId()),
  );
  const mentioned = expanded.content || !isTyped ? [] : ((await ports.mentioned?.(text)) ?? []);
  const { attachments = [], answer } = expanded;
  return { entries: [...context, ...mentioned, typed, ...attachments], ...(answer === undefined ? {} : { answer }) };
}

/** The message of a prompt, with images of a size that the model can use. */
export async function fittedMessage({ message }: PromptMessage, ports: Ports): Promise<PromptMessage["message"]> {
  if (typeof message.content === "string" || !message.content.some(({ type }) => type === "image")) return message;
  return { ...message, content: await fitted(message.content, ports) };
}

/** Of a command, the user said what was typed; its text is someone else's. */
export function byUserOf({ byUser }: PromptMessage, typed?: string): Pick<UserSubject, "byUser"> {
  if (byUser === undefined) return {};
  return { byUser: typeof byUser === "string" ? byUser : (typed ?? byUser) };
}

/** As in the published types. Of other prompts, the front end is the source. */
function sourceOf({ origin }: PromptMessage): { readonly source?: string } {
  if (!origin) return {};
  return { source: origin.subkind === "wakeup" ? "loop_wakeup" : "schedule_wakeup" };
}

/** The model must not take a prompt that nobody typed for the user's word. */
function automatic({ origin }: PromptMessage): readonly string[] {
  if (!origin) return [];
  const what =
    origin.subkind === "wakeup"
      ? "the wake-up that you scheduled"
      : `the scheduled job ${origin.taskId} (${origin.schedule})`;
  return [
    `The prompt that follows is ${what}. It is automatic: no one typed it just now, and there may be no one to answer questions. If it names a skill, such as /review, invoke that skill with the Skill tool.`,
  ];
}

interface Expanded {
  readonly context: readonly string[];
  /** Undefined if the text is not a command. */
  readonly content?: readonly ContentBlock[];
  readonly attachments?: readonly NewEntry[];
  readonly answer?: string;
  /** A hook blocked it. */
  readonly refused?: HookOutcome;
  /** Why the command has no text. */
  readonly failed?: string;
}

async function render(
  expansion: PromptExpansion | undefined,
  text: string,
  promptId: string,
  ports: Ports,
): Promise<Expanded> {
  const all = stackOf(expansion);
  if (all.length === 0) return { context: [] };
  const context: string[] = [];
  for (const { about } of all) {
    const said = await ports.fire("UserPromptExpansion", { prompt_id: promptId, ...about, prompt: text });
    if (isRefusal(said)) return { context: [], refused: said };
    context.push(...said.context);
  }
  let name = text.split(/\s/, 1)[0];
  try {
    const parts: ExpandedPrompt[] = [];
    for (const [at, each] of all.entries()) {
      if (at > 0) name = `/${String(each.about["command_name"])}`;
      parts.push(await each.render());
    }
    const answers = parts.flatMap(({ answer }) => (answer === undefined ? [] : [answer]));
    return {
      context,
      content: parts.flatMap(({ content }) => content),
      attachments: parts.flatMap(({ attachments = [] }) => attachments),
      // If one of them is for the model, it reads the answers of the others.
      ...(answers.length === parts.length ? { answer: answers.join("\n\n") } : {}),
    };
  } catch (error) {
    return { context: [], failed: `${name} failed: ${(error as Error).message}` };
  }
}

function stackOf(expansion: PromptExpansion | undefined): readonly PromptExpansion[] {
  return expansion ? [expansion, ...stackOf(expansion.next)] : [];
}

export const isRefusal = ({ verdict, stop }: HookOutcome) => verdict === "deny" || stop !== undefined;

/** Tells clients why a hook blocked a prompt. */
export function blockPrompt(said: HookOutcome, prompt: string, ports: Ports): Promise<Admission> {
  return block(blockedText(said, prompt), "blocked_by_hook", reasonOf(said), ports);
}

async function block(content: string, kind: string, reason: string, ports: Ports): Promise<Admission> {
  await ports.show({
    type: "system",
    subtype: "informational",
    content,
    level: "warning",
    prevent_continuation: true,
    prompt_submit_outcome: { kind, prompt_kept: false, reason },
  });
  return { entries: [], blocked: content };
}

function blockedText(said: HookOutcome, prompt: string): string {
  const original = said.fields?.["suppressOriginalPrompt"] === true ? "" : `\n\nOriginal prompt: ${prompt}`;
  return `A hook blocked this prompt: ${reasonOf(said)}${original}`;
}

const reasonOf = ({ reasons, stop }: HookOutcome) => reasons.join("\n") || stop || "no reason was given";

/**
 * Text that is added for the model. It is stored with the conversation and not sent to clients as a message. With
 * `toolUseID` it belongs to the result of that call, and `about` names the call.
 */
export function reminder(
  text: string,
  uuid: string,
  { about, ...of }: { readonly toolUseID?: string; readonly about?: string } = {},
): NewEntry {
  return {
    type: "attachment",
    uuid,
    attachment: { type: "hook_additional_context", content: [text], ...of },
    rendered: [{ content: asReminder(about === undefined ? text : `${about}\n${text}`) }],
    renderedRole: "user",
  };
}

/** Our own text in a user message, flagged so that no one takes it for the user's. */
export function nudge(text: string, uuid: string): NewEntry {
  return { type: "user", uuid, isMeta: true, message: { role: "user", content: [{ type: "text", text }] } };
}
