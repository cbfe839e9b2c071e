// What an editor was shown, in a form in which two agents can be compared: the parts of a text are joined, and the updates of a
// call are what it became. Everything stands where it began, but for what is told at no fixed time: commands are first, titles last.

export interface Shown {
  readonly kind: string;
  /** Of a call: its tool. */
  readonly name?: string;
  readonly [field: string]: unknown;
}

/** `messages`: everything that the agent sent, in order. */
export function readShown(messages: readonly any[]): readonly Shown[] {
  const all: any[] = [];
  const calls = new Map<string, any>();
  for (const message of messages) {
    if (message.method === "session/update") take(message.params.update);
    else if (message.method === "session/request_permission") all.push(question(message.params));
    else if (message.method === "elicitation/create") all.push(form(message.params));
    else if (message.result?.stopReason !== undefined) all.push({ kind: "end", reason: message.result.stopReason });
    else if (message.error !== undefined) all.push({ kind: "end", reason: message.error.code });
  }
  const last = (kind: string) => all.findLast((shown) => shown.kind === kind) ?? [];
  return [last("commands"), all.filter(({ kind }) => kind !== "commands" && kind !== "title"), last("title")].flat();

  function take(update: any): void {
    const { sessionUpdate: type, content } = update;
    switch (type) {
      case "agent_message_chunk":
      case "agent_thought_chunk":
      case "user_message_chunk": {
        const kind = { agent_message_chunk: "answer", agent_thought_chunk: "thought", user_message_chunk: "prompt" }[
          type as "agent_message_chunk"
        ];
        if (content.type !== "text") return void all.push({ kind, part: content.type });
        const last = all.at(-1);
        if (last?.kind === kind && last.text !== undefined) last.text += content.text;
        else all.push({ kind, text: content.text });
        return;
      }
      case "tool_call":
      case "tool_call_update":
        return call(update);
      case "plan":
        return void all.push({
          kind: "plan",
          entries: update.entries.map(({ content: text, status }: any) => `${status}: ${text}`),
        });
      case "usage_update":
        return void all.push({ kind: "usage", used: update.used, size: update.size, cost: update.cost?.amount });
      case "current_mode_update":
        return void all.push({ kind: "mode", mode: update.currentModeId });
      case "available_commands_update":
        return void all.push({ kind: "commands", names: update.availableCommands.map(({ name }: any) => name).sort() });
      case "config_option_update":
        return void all.push({
          kind: "options",
          values: Object.fromEntries(update.configOptions.map(({ id, currentValue }: any) => [id, currentValue])),
        });
      case "session_info_update":
        if (update.title !== undefined) all.push({ kind: "title", title: update.title });
        return;
      default:
        all.push({ kind: type });
    }
  }

  function call(update: any): void {
    const { toolCallId: id, status, title, rawInput, locations, content, kind } = update;
    let shown = calls.get(id);
    if (shown === undefined) {
      shown = { kind: "call", name: update._meta?.claudeCode?.toolName ?? update.name, states: [] };
      calls.set(id, shown);
      all.push(shown);
    }
    if (status !== undefined && shown.states.at(-1) !== status) shown.states.push(status);
    if (title !== undefined) shown.title = title;
    if (kind !== undefined) shown.as = kind;
    if (rawInput !== undefined) shown.input = rawInput;
    if (locations !== undefined)
      shown.locations = locations.map(({ path, line }: any) => [path, line ?? null].join(":"));
    if (content !== undefined && content !== null) shown.content = content.map(part);
  }
}

function part(content: any): string {
  if (content.type === "diff")
    return `${content.path}: ${JSON.stringify(content.oldText ?? null)} → ${JSON.stringify(content.newText)}`;
  return content.content?.type === "text" ? content.content.text : String(content.content?.type ?? content.type);
}

const question = ({ toolCall, options }: any): Shown => ({
  kind: "question",
  about: toolCall.title,
  content: (toolCall.content ?? []).map(part),
  choices: options.map(({ kind }: any) => kind),
});

const form = ({ message, requestedSchema }: any): Shown => ({
  kind: "form",
  message,
  fields: Object.values(requestedSchema?.properties ?? {}).map(({ type }: any) => type),
});
