// Sessions that are on disk already, with as many runs as are wanted.

import type { TemporaryHome } from "@keelson/testkit";

export interface WrittenSession {
  readonly id: string;
  readonly title?: string;
  /** Each has four entries: a prompt, a call, its result, an answer. */
  readonly runs: number;
  /** Two more entries come last, so that pages of the conversation begin with results. */
  readonly isShifted?: boolean;
}

export const SESSION = "11111111-1111-4111-8111-111111111111";

export function writeSession(
  home: Pick<TemporaryHome, "project" | "write">,
  { id, title = "A long one", runs, isShifted }: WrittenSession,
): void {
  const subjects = [
    ...Array.from({ length: runs }, (_, run) => runOf(title, run)).flat(),
    ...(isShifted ? [prompt("Thanks"), says({ type: "text", text: "Good day." }, "end_turn")] : []),
  ];
  let parentUuid: string | null = null;
  const lines = subjects.map((subject, at) => {
    const uuid = `33333333-3333-4333-8333-${String(at).padStart(12, "0")}`;
    const timestamp = new Date(1_780_000_000_000 + at).toISOString();
    const about = {
      parentUuid,
      isSidechain: false,
      sessionId: id,
      uuid,
      timestamp,
      cwd: home.project,
      version: "1.0.0",
    };
    parentUuid = uuid;
    return `${JSON.stringify({ ...about, ...subject })}\n`;
  });
  home.write(`~/.claude/projects/${home.project.replaceAll(/[^A-Za-z0-9]/g, "-")}/${id}.jsonl`, lines.join(""));
}

function runOf(title: string, run: number): readonly object[] {
  const call = { type: "tool_use", id: `call${run}`, name: "Bash", input: { command: `echo ${run}` } };
  const result = { type: "tool_result", tool_use_id: call.id, content: "line\n".repeat(20) };
  const words = `Answer ${run}.\n\n${"Words of an answer, with `code`. ".repeat(5)}\n\n- one\n- two`;
  return [
    prompt(`${title}: ${run}`),
    says(call, "tool_use", `call of ${run}`),
    prompt([result]),
    says({ type: "text", text: words }, "end_turn", `answer of ${run}`),
  ];
}

const prompt = (content: unknown) => ({ type: "user", message: { role: "user", content } });

const says = (block: object, stop_reason: string, id = "last") => ({
  type: "assistant",
  message: {
    id,
    type: "message",
    role: "assistant",
    model: "m",
    content: [block],
    stop_reason,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
});
