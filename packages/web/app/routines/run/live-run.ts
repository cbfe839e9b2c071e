// One run as it goes on: its stream to the items that a conversation is drawn from, and to signals about the run itself.

import { batch, signal } from "@preact/signals";
import { isObject, type Outbound } from "@keelson/protocol";
import { ServerLink } from "../../connection/link.ts";
import type { LinkState } from "../../session/live-session.ts";
import { PageItems } from "../../session/items.ts";
import type { ShownConversation } from "../../transcript/transcript.tsx";
import { isOver } from "../parts.tsx";
import type { ShownQuestion, WholeRun } from "../wire.ts";

export class LiveRun implements ShownConversation {
  readonly items = new PageItems();
  readonly link = signal<LinkState>("connecting");
  readonly state = signal<"idle" | "running" | "requires_action">("idle");
  readonly older = signal<string | null>(null);
  readonly isReadingOlder = signal(false);
  readonly run = signal<WholeRun | undefined>(undefined);
  /** Why it cannot be shown. */
  readonly failure = signal<string | undefined>(undefined);
  /** Who answered what was asked here, if it was not answered here. */
  readonly elsewhere = signal<string | undefined>(undefined);
  /** Questions that were answered here. */
  readonly #own = new Set<string>();
  readonly #link: ServerLink;
  readonly #reader = this.items.reader("");
  /** The last entry that came. */
  #seq = 0;
  #attempt: number | undefined;

  constructor(id: string) {
    const path = () => `./v1/runs/${id}/stream${this.#seq === 0 ? "" : `?after=${this.#seq}`}`;
    this.#link = new ServerLink(path, {
      began: () => {
        this.link.value = "behind";
        this.#dropLive();
      },
      line: (line) => batch(() => this.#take(line)),
      lost: (why) => {
        if (why !== undefined) this.failure.value = why;
        this.link.value = navigator.onLine ? "connecting" : "offline";
      },
    });
  }

  async readOlder(): Promise<void> {
    // All of it comes.
  }

  /** Somebody here has answered it; the stream says so, too. */
  answered(question: string): void {
    this.#own.add(question);
  }

  close(): void {
    this.#link.close();
  }

  #take(line: unknown): void {
    if (!isObject(line) || !isObject(line["m"])) return;
    const { c, m, attempt } = line;
    if (typeof c === "string") return this.#message(Number(c), m, attempt);
    // What is being written, and what commands print meanwhile.
    if (m["type"] === "stream" || m["type"] === "tool_running") this.#show(m as unknown as Outbound);
    else if (m["type"] === "run") this.#about(m["run"] as unknown as WholeRun);
    else if (m["type"] === "caught_up") {
      this.items.flush();
      this.link.value = "connected";
      this.#settle();
    }
  }

  /** Each entry once: a connection that was cut may have brought more than was read. */
  #message(seq: number, said: Readonly<Record<string, unknown>>, attempt: unknown): void {
    if (!(seq > this.#seq)) return;
    this.#seq = seq;
    if (typeof attempt === "number" && this.#attempt !== undefined && attempt !== this.#attempt) {
      this.#dropLive();
      this.#note(`The run goes on (${ordinal(attempt)} start)`);
    }
    if (typeof attempt === "number") this.#attempt = attempt;
    // What the worker says of its own.
    if (said["type"] === "system" && said["subtype"] === "worker") return this.#note(String(said["text"]));
    this.#show(said as unknown as Outbound);
  }

  /** What was being written and has not come is not written any more. */
  #dropLive(): void {
    this.#show({ type: "stream", subtype: "snapshot", events: [] } as unknown as Outbound);
  }

  #note(content: string): void {
    this.#show({ type: "system", subtype: "informational", level: "info", content } as unknown as Outbound);
  }

  #show(message: Outbound): void {
    this.items.see(message);
    this.#reader.take(message, Date.now());
  }

  #about(run: WholeRun): void {
    const before = this.run.value;
    this.run.value = run;
    if (before === undefined) this.#showPrompt(run);
    const open = new Set(before?.questions.filter(isOpen).map(({ id }) => id));
    const closed = run.questions.find((each) => open.has(each.id) && !isOpen(each) && !this.#own.has(each.id));
    if (closed !== undefined)
      this.elsewhere.value = closed.answer === null ? "nobody in time" : (closed.answered_by_name ?? "someone else");
    this.state.value = run.state === "running" ? "running" : run.state === "waiting" ? "requires_action" : "idle";
    this.#settle();
  }

  /** What a run was asked is not part of what it said. */
  #showPrompt({ prompt, payload, started_at: started }: WholeRun): void {
    if (prompt === null || started === null) return;
    const content = payload === null ? prompt : `${prompt}\n\n${payload}`;
    this.#show({
      type: "user",
      message: { role: "user", content },
      parent_tool_use_id: null,
      uuid: "prompt",
    } as unknown as Outbound);
  }

  /** What is asked waits, and calls that have no result by the end of a run get none. */
  #settle(): void {
    const run = this.run.value;
    for (const { request, answered_at: at } of run?.questions ?? []) {
      const call = request["tool_use_id"];
      if (typeof call !== "string") continue;
      if (at === null) this.#reader.asked(call);
      else this.#reader.answered(call, Date.now());
    }
    if (run !== undefined && isOver(run.state) && this.link.value === "connected") {
      this.#dropLive();
      this.#reader.settle(Date.now());
    }
    this.items.flush();
  }
}

export const isOpen = ({ answered_at: at }: ShownQuestion) => at === null;

function ordinal(count: number): string {
  return `${count}${["th", "st", "nd", "rd"][count % 100 > 10 && count % 100 < 14 ? 0 : count % 10] ?? "th"}`;
}
