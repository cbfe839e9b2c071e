import { expect, test } from "bun:test";
import type { SDKUserMessage } from "../messages/messages.ts";
import type { ControlConnection } from "./connection.ts";
import { Input } from "./input.ts";

const [A, B, C] = ["a", "b", "c"] as const;

async function* prompts(...ids: readonly string[]): AsyncGenerator<SDKUserMessage> {
  for (const uuid of ids)
    yield { type: "user", uuid, message: { role: "user", content: uuid }, parent_tool_use_id: null } as SDKUserMessage;
}

const result = (...ids: readonly string[]) => ({ type: "result", user_message_uuids: ids });
const lifecycle = (id: string, state: string) => ({ type: "command_lifecycle", command_uuid: id, state });

/** All prompts are sent; returns whether the input is still open after each of these messages. */
async function openAfter(ids: readonly string[], messages: readonly object[]): Promise<boolean[]> {
  let isOpen = true;
  const connection = { send: async () => {}, endInput: () => (isOpen = false) } as Partial<ControlConnection>;
  const input = new Input(connection as ControlConnection, { verbatim: false, needsCaller: () => false });
  await input.stream(prompts(...ids));
  return messages.map((message) => {
    input.onMessage(message);
    return isOpen;
  });
}

test.each<[string, readonly string[], readonly object[], boolean[]]>([
  ["each prompt has its result", [A, B], [result(A), lifecycle(A, "completed"), result(B)], [true, true, false]],
  ["one result answers several", [A, B, C], [result(A), result(B, C)], [true, false]],
  ["a prompt was sent twice", [A, A], [result(A)], [false]],
  ["a prompt was in the session already", [A, B], [lifecycle(A, "completed"), result(B)], [true, false]],
  ["a prompt is taken back from the queue", [A, B], [lifecycle(B, "cancelled"), result(A)], [true, false]],
  [
    "a prompt that was interrupted has a result and is cancelled, and another waits",
    [A, B],
    [result(A), lifecycle(A, "cancelled"), result(B)],
    [true, true, false],
  ],
  [
    "several in one run were interrupted",
    [A, B, C],
    [result(A, B), lifecycle(A, "cancelled"), lifecycle(B, "cancelled"), result(C)],
    [true, true, true, false],
  ],
  [
    "a prompt joined a run that the program began",
    [A, B],
    [
      { ...result(), origin: { kind: "task-notification" } },
      { ...result(A), origin: { kind: "task-notification" } },
      result(B),
    ],
    [true, true, false],
  ],
])("the input stays open until everything is answered: %s", async (_, ids, messages, expected) => {
  expect(await openAfter(ids, messages)).toEqual(expected);
});
