// Says what a model would refuse in the messages of a request. Stricter than the API where that is cheap.

interface Message {
  readonly role: string;
  readonly content: string | readonly Record<string, unknown>[];
}

/** One sentence each; empty when the conversation is well formed. */
export function messageProblems(messages: readonly Message[]): string[] {
  const problems: string[] = [];
  if (messages[0]?.role !== "user") problems.push("the first message is not the user's");
  if (messages.at(-1)?.role !== "user") problems.push("the last message is not the user's");

  const made = new Set<unknown>();
  let open: readonly unknown[] = [];
  messages.forEach(({ role, content }, at) => {
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
    const said = (what: string) => problems.push(`message ${at} (${role}) ${what}`);
    if (role === messages[at - 1]?.role) said("follows one of the same role");
    if (blocks.length === 0) said("is empty");
    if (blocks.some(({ type, text }) => type === "text" && text === "")) said("has an empty text");
    if (role === "assistant" && blocks.every(({ type }) => type === "thinking")) said("only thinks");

    const results = blocks.filter(({ type }) => type === "tool_result").map((block) => block["tool_use_id"]);
    const leading = blocks.slice(0, results.length);
    if (leading.some(({ type }) => type !== "tool_result")) said("has something before its results");
    if (results.join() !== open.join()) said(`answers [${results.join()}] where [${open.join()}] was called`);

    open = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
    for (const id of open) {
      if (made.has(id)) said(`repeats call ${String(id)}`);
      made.add(id);
    }
  });
  return problems;
}
