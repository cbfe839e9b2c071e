// What an editor shows in the end, made of the updates that it got: texts that grew, calls as their last update left them.

export interface ShownItem {
  readonly kind: string;
  readonly text?: string;
  readonly [field: string]: unknown;
}

/** In the order in which the first word of each came. */
export function shownIn(updates: readonly any[]): readonly ShownItem[] {
  const items: any[] = [];
  const calls = new Map<string, any>();
  for (const { sessionUpdate: kind, ...fields } of updates) {
    if (kind === "tool_call" || kind === "tool_call_update") {
      // What the end of a session stopped, no one heard of.
      const stays = ({ content }: any) => content?.text?.startsWith("Stopped in the background") !== true;
      if (fields.content) fields.content = fields.content.filter(stays);
      const known = calls.get(fields.toolCallId);
      if (known) Object.assign(known, fields);
      else {
        const call = { kind: "call", toolKind: fields.kind, ...fields };
        calls.set(fields.toolCallId, call);
        items.push(call);
      }
    } else if (kind.endsWith("_chunk")) {
      const last = items.at(-1);
      const isText = fields.content.type === "text";
      if (isText && last?.kind === kind && last.messageId === fields.messageId && last.text !== undefined)
        last.text += fields.content.text;
      else if (kind === "user_message_chunk")
        items.push({ kind, ...(isText ? { text: fields.content.text } : fields) });
      else items.push({ kind, messageId: fields.messageId, ...(isText ? { text: fields.content.text } : fields) });
    } else if (kind === "compaction_update") {
      const known = calls.get(fields.compactionId);
      if (known) Object.assign(known, fields);
      else {
        const compaction = { kind, ...fields };
        calls.set(fields.compactionId, compaction);
        items.push(compaction);
      }
    }
  }
  return items;
}
