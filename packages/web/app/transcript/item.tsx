// One item of the conversation.

import { isTodoCall, readQuestions, type CallItem, type EndItem, type ThinkingItem } from "@keelson/client";
import type { ToolKind } from "@keelson/protocol";
import { lazy } from "../lazy.tsx";
import { endText, type ItemCell, type PageItem } from "../session/items.ts";
import { Markdown, MarkdownOf } from "./markdown.tsx";
import { Images, Printed } from "./output.tsx";
import { PathText } from "./path-text.tsx";
import { showRow } from "./visible.ts";

const RareItem = lazy(async () => (await import("./rare-item.tsx")).RareItem);
const CallBody = lazy(async () => (await import("./call-body.tsx")).CallBody);

export function Item({ cell }: { readonly cell: ItemCell }) {
  // What changes in the item changes this. A component below that read a signal would not be drawn again with the same item.
  void cell.version.value;
  return <Shown item={cell.item} printed={cell.printed?.value ?? ""} pictures={cell.pictures()} />;
}

interface ShownProps {
  readonly item: PageItem;
  /** By a call that runs. */
  readonly printed: string;
  readonly pictures: readonly string[];
}

function Shown({ item, printed, pictures }: ShownProps) {
  switch (item.kind) {
    case "prompt":
      return (
        <article class="prompt" aria-label="What was asked">
          {item.from === undefined ? null : <span class="dim">{showRow(item.from)}</span>}
          <p class={item.as === "prompt" ? undefined : "mono"}>
            {item.as === "shell" ? `! ${item.text}` : item.text}
            {item.images === pictures.length ? null : (
              <span class="dim"> {item.images === 1 ? "1 image" : `${item.images} images`}</span>
            )}
          </p>
          <Images urls={pictures} />
        </article>
      );
    case "answer":
      return (
        <article class="answer" aria-label="Answer">
          <Markdown text={item.text} />
        </article>
      );
    case "thinking":
      return <Thinking item={item} />;
    case "call":
      // The list itself is shown above the prompt.
      return isTodoCall(item.name) && item.state !== "failed" && item.state !== "denied" ? null : (
        <Call call={item} printed={printed} pictures={pictures} />
      );
    case "note":
      return <p class={`note ${item.level}`}>{item.text}</p>;
    case "output":
      return item.as === "markdown" ? (
        <article class={item.isError ? "note error" : "answer"}>
          <MarkdownOf text={item.text} />
        </article>
      ) : (
        <pre class={item.isError ? "output error" : "output"} tabIndex={0}>
          <Printed text={item.text} />
        </pre>
      );
    case "compaction":
    case "rewind":
    case "summary":
    case "limit":
      return <RareItem item={item} />;
    case "interruption":
      return <p class="note warning">Interrupted</p>;
    case "end":
      return <End item={item} />;
  }
}

function Thinking({ item: { text, durationMs, done } }: { readonly item: ThinkingItem }) {
  if (done && text.trim() === "") return null;
  const title = !done
    ? "Thinking"
    : durationMs === undefined || durationMs < LONG_MS
      ? "Thought"
      : `Thought for ${seconds(durationMs)}`;
  return (
    <details class="fold">
      <summary>{title}</summary>
      <p class="thought">{text}</p>
    </details>
  );
}

const CALL_STATES: Readonly<Record<CallItem["state"], string>> = {
  pending: "being written",
  waiting: "needs an answer",
  running: "running",
  done: "done",
  failed: "failed",
  denied: "denied",
  interrupted: "interrupted",
};

interface CallProps extends Omit<ShownProps, "item"> {
  readonly call: CallItem;
}

function Call({ call, printed, pictures }: CallProps) {
  const { label, state, durationMs } = call;
  const tool = label.server === undefined ? label.name : `${label.server}: ${label.name}`;
  const isLong = durationMs !== undefined && durationMs >= LONG_MS;
  const live = state === "running" ? printed : "";
  return (
    <details class={`call ${state}`}>
      <summary>
        <span class="dot" aria-label={CALL_STATES[state]} role="img" />
        <span class="tool">{showRow(tool)}</span>
        <Subject call={call} />
        <span class="dim">
          {state === "done" ? (isLong ? seconds(durationMs) : "") : state === "running" ? "" : CALL_STATES[state]}
        </span>
        {live.trim() === "" ? null : (
          <span class="output tail mono" aria-hidden="true">
            <Printed text={lastLines(live)} />
          </span>
        )}
      </summary>
      <CallBody call={call} live={live} pictures={pictures} />
    </details>
  );
}

/** Of a long path, the name of the file is what is seen. */
function Subject({ call: { name, input, label } }: { readonly call: CallItem }) {
  const { kind, title = label.note ?? "" } = label;
  if (name === "AskUserQuestion") {
    const questions = readQuestions(input)?.map(({ question }) => question) ?? [];
    return <span class="subject">{showRow(questions.join(" "))}</span>;
  }
  return OF_FILES.has(kind) ? (
    <PathText class="subject mono" path={title} />
  ) : (
    <span class="subject mono">{showRow(title)}</span>
  );
}

const OF_FILES: ReadonlySet<ToolKind> = new Set(["read", "edit", "delete"]);

const LONG_MS = 1_000;
const TAIL_LINES = 5;

const lastLines = (text: string) => text.trimEnd().split("\n").slice(-TAIL_LINES).join("\n");

function End({ item }: { readonly item: EndItem }) {
  const text = endText(item);
  return text === "" ? null : <p class="note error">{text}</p>;
}

function seconds(ms: number): string {
  const whole = Math.round(ms / 1_000);
  if (whole < 1) return `${Math.round(ms)} ms`;
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
