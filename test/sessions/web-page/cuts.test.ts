// Connections that break at random places, and a server that is killed: what a page has put together in the end is what the
// transcript says, in order and once.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { ConversationReader, TextParts, type ConversationItem } from "@keelson/client";
import { readTranscript, startMockModel, temporaryHome, type ScriptedReply } from "@keelson/testkit";
import { startWeb, type StartedWeb, type WebDevice } from "./web-client.ts";

const WORDS = "one two three four five six seven eight nine ten".split(" ");
const allow = (request_id: string) => ({
  type: "control_response",
  response: { subtype: "success", request_id, response: { behavior: "allow" } },
});
const textOf = (run: number) => WORDS.map((word) => `${word}-${run}`).join(" ");

/** A page: it draws what comes, and starts afresh when it is told to. */
class DrawnPage {
  #items: ConversationItem[] = [];
  readonly #reader = new ConversationReader({
    newText: () => new TextParts(),
    add: (item) => void this.#items.push(item),
    remove: (item) => {
      this.#items = this.#items.filter((each) => each !== item);
      return true;
    },
    clear: () => void (this.#items = []),
  });

  take(message: any): void {
    this.#reader.take(message, 0);
  }

  get shown(): readonly string[] {
    return this.#items.flatMap((item) => {
      if (item.kind === "prompt") return [`> ${item.text}`];
      if (item.kind === "answer") return [item.text.whole()];
      return item.kind === "call" ? [`$ ${item.name}`] : [];
    });
  }
}

/** What the model says next follows from the conversation, so a server that was killed changes nothing for the others. */
function reply({ messages }: any): ScriptedReply {
  const { content } = messages.at(-1);
  const isAfterCall = Array.isArray(content) && content.some(({ type }: any) => type === "tool_result");
  const run = Number([...JSON.stringify(messages).matchAll(/Run (\d+)/g)].at(-1)![1]);
  const slow = { hold: Bun.sleep(4), holdAfter: 6 } as const;
  if (isAfterCall) return { text: `Done ${run}.`, ...slow };
  return { text: textOf(run), deltas: 10, calls: [{ name: "Bash", input: { command: `touch made-${run}` } }], ...slow };
}

const CUTS = 200;

test("after any cuts, also those of the server, a page shows the transcript, nothing twice, and open questions reappear", async () => {
  const cut = fc.record({ after: fc.integer({ min: 0, max: 30 }), dies: fc.nat({ max: 14 }).map((n) => n === 0) });
  const plan = fc.sample(cut, { numRuns: CUTS, seed: 20261119 });
  using home = temporaryHome();
  await using model = await startMockModel(reply);
  let web: StartedWeb = await startWeb({ home, url: model.url });
  try {
    let device: WebDevice = await web.signIn();
    const id = await device.begin();
    const page = new DrawnPage();
    const asked = new Map<string, number>();
    let cursor: string | undefined;
    let run = 0;
    for (; plan.length > 0; run++) {
      const uuid = crypto.randomUUID();
      for (let isDone = false; !isDone;) {
        const next = plan.pop();
        using stream = device.stream(id, cursor);
        let seen = 0;
        // It is not known whether it arrived.
        stream.prompt(`Run ${run}`, uuid);
        await stream.until((message, behind) => {
          page.take(message);
          cursor = behind ?? cursor;
          if (message.type === "control_request") {
            const { request_id } = message;
            const times = (asked.get(request_id) ?? 0) + 1;
            asked.set(request_id, times);
            // Those that are cut off before they answer find the question again.
            if (times === 1 && next !== undefined) return true;
            stream.send(allow(request_id));
          }
          isDone =
            message.type === "command_lifecycle" && message.command_uuid === uuid && message.state === "completed";
          return isDone || (next !== undefined && seen++ >= next.after);
        });
        if (isDone || !next?.dies) continue;
        web.program.kill("SIGKILL");
        await web.program.done;
        await web[Symbol.asyncDispose]();
        web = await startWeb({ home, url: model.url });
        device = await web.signIn();
      }
    }
    const said = readTranscript(home).flatMap(({ type, message }: any) =>
      type === "assistant" ? message.content.flatMap((block: any) => (block.type === "text" ? [block.text] : [])) : [],
    );
    expect(page.shown.filter((text) => !/^[>$]/.test(text))).toEqual(said);
    expect(page.shown.filter((text) => text.startsWith(">"))).toEqual(
      Array.from({ length: run }, (_, each) => `> Run ${each}`),
    );
    expect([...asked.values()].some((times) => times > 1)).toBe(true);
  } finally {
    await web[Symbol.asyncDispose]();
  }
});
