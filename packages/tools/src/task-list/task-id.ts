// Ids of tasks as models write them.

/** Also accepts a number, and the number as lists show it: `#3`. */
export function idOf(value: unknown): unknown {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value.trim().replace(/^#/, "") : value;
}

/** Also accepts the id under the names that other tools use. */
export function withTaskId({ task_id, id, ...input }: Record<string, unknown>): Record<string, unknown> {
  return { ...input, taskId: idOf(input["taskId"] ?? task_id ?? id) };
}

export const numbers = (ids: readonly string[]) => ids.map((id) => `#${id}`).join(", ");
