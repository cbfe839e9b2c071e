// What the editor knows of each call: the first word about a call is a `tool_call`, later ones say what changed, states only
// go forward, and nothing follows the last one but what a call left running in the background.

import type { SessionUpdate, ToolCallContent, ToolCallFields, ToolCallStatus } from "../schema/types.ts";

const ORDER: Readonly<Record<ToolCallStatus, number>> = { pending: 0, in_progress: 1, completed: 2, failed: 2 };
const isFinal = (status: ToolCallStatus | undefined) => status !== undefined && ORDER[status] === 2;

export class ShownCalls {
  /** Calls that are not final. */
  readonly #open = new Map<string, ToolCallFields>();
  readonly #final = new Set<string>();

  /** The call as the editor knows it, while it is open. */
  shown(id: string): ToolCallFields | undefined {
    return this.#open.get(id);
  }

  get open(): readonly ToolCallFields[] {
    return [...this.#open.values()];
  }

  isKnown(id: string): boolean {
    return this.#open.has(id) || this.#final.has(id);
  }

  isFinal(id: string): boolean {
    return this.#final.has(id);
  }

  /** `ran`: a final call that was never shown as running was running all the same. */
  show(fields: ToolCallFields & { readonly title: string }, { ran = true } = {}): readonly SessionUpdate[] {
    const { toolCallId: id, status = "pending" } = fields;
    if (this.#final.has(id)) return [];
    const before = this.#open.get(id);
    if (before === undefined && !isFinal(status)) {
      this.#open.set(id, fields);
      return [{ sessionUpdate: "tool_call", ...fields }];
    }
    if (before === undefined)
      return [...this.show({ ...fields, status: "pending", content: [] }), ...this.show(fields, { ran })];
    const isBackward = ORDER[status] < ORDER[before.status ?? "pending"];
    const next: ToolCallFields = isBackward ? { ...fields, status: before.status } : fields;
    if (!isFinal(status)) {
      this.#open.set(id, { ...before, ...next });
      return changes(before, next);
    }
    this.#open.delete(id);
    this.#final.add(id);
    const running = ran && before.status === "pending";
    return [
      ...(running ? [update({ toolCallId: id, status: "in_progress" })] : []),
      // A question about the call may have replaced its content in the meantime.
      update({ ...changed(before, next), toolCallId: id, status, content: fields.content ?? [] }),
    ];
  }

  /** What became of a call's work in the background. */
  addTo(id: string, content: readonly ToolCallContent[]): readonly SessionUpdate[] {
    return this.#final.has(id) ? [update({ toolCallId: id, content })] : [];
  }
}

const update = (fields: ToolCallFields): SessionUpdate => ({ sessionUpdate: "tool_call_update", ...fields });

function changes(before: ToolCallFields, next: ToolCallFields): readonly SessionUpdate[] {
  const fields = changed(before, next);
  return Object.keys(fields).length === 0 ? [] : [update({ ...fields, toolCallId: next.toolCallId })];
}

function changed(before: ToolCallFields, next: ToolCallFields): Partial<ToolCallFields> {
  const known = new Map(Object.entries(before).map(([key, value]) => [key, JSON.stringify(value)]));
  return Object.fromEntries(
    Object.entries(next).filter(([key, value]) => value !== undefined && known.get(key) !== JSON.stringify(value)),
  );
}
