// Where prompts are typed. Those that wait are shown above it, and can be taken back.

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { blocksOf, isText } from "@keelson/protocol";
import { lazy } from "../../lazy.tsx";
import { showRow } from "../../transcript/visible.ts";
import type { LiveSession, PromptContent } from "../live-session.ts";
import type { SheetName } from "../menu.tsx";
import { draftOf, keepDraft } from "../outgoing.ts";
import { Choices, InForce } from "./choices.tsx";
import { imagesIn, type AttachedImage } from "./images.ts";

const Attached = lazy(async () => (await import("./attached.tsx")).Attached);
const Suggestions = lazy(async () => (await import("./suggestions.tsx")).Suggestions);

/** With a keyboard of its own, Enter begins a new line there. */
const isTouch = matchMedia("(pointer: coarse)").matches;

interface PromptBoxProps {
  readonly session: LiveSession;
  open(sheet: SheetName): void;
}

export function PromptBox({ session, open }: PromptBoxProps) {
  const text = useSignal(draftOf(session.id));
  const caret = useSignal(0);
  const active = useSignal<string | undefined>(undefined);
  const images = useSignal<readonly AttachedImage[]>([]);
  const problem = useSignal<string | undefined>(undefined);
  /** Images that are being read. What is sent meanwhile waits for them. */
  const reading = useSignal(0);
  const wanted = useSignal<{ readonly later: boolean } | undefined>(undefined);
  const field = useRef<HTMLTextAreaElement>(null);
  /** Whether the list of suggestions has taken a key. */
  const suggest = useRef<(event: KeyboardEvent) => boolean>(() => false);
  const set = (value: string) => {
    text.value = value;
    keepDraft(session.id, value);
  };
  const attach = (files: Iterable<File>) => {
    const chosen = [...files];
    if (chosen.length === 0) return;
    problem.value = undefined;
    reading.value += chosen.length;
    void (async () => {
      try {
        const { readImages, withImages } = await import("./read-images.ts");
        const read = await readImages(chosen);
        images.value = withImages(images.value, read);
      } catch (error) {
        wanted.value = undefined;
        problem.value = error instanceof Error ? error.message : String(error);
      } finally {
        reading.value -= chosen.length;
      }
    })();
  };
  useLayoutEffect(() => {
    session.returned = (content) => {
      const returned = textIn(content);
      set(text.value.trim() === "" ? returned : `${returned}\n${text.value}`);
      images.value = [...imagesIn(content), ...images.value];
    };
    if (!isTouch) field.current?.focus();
  }, [session]);
  useLayoutEffect(() => {
    const { current } = field;
    if (current === null) return;
    current.style.height = "auto";
    current.style.height = `${current.scrollHeight}px`;
  }, [text.value]);
  useEffect(() => globalKeys(session), [session]);
  useEffect(() => {
    const gone = new AbortController();
    void import("./read-images.ts").then(({ takeDropped }) => takeDropped(attach, gone.signal));
    return () => gone.abort();
  }, []);

  const isReading = reading.value > 0;
  const isEmpty = text.value.trim() === "" && images.value.length === 0 && !isReading;
  const send = (later = false) => {
    if (isEmpty) return;
    if (reading.value > 0) return void (wanted.value = { later });
    const typed = text.value.trim();
    const parts = images.value.map(({ block }) => block);
    const content = [...(typed === "" ? [] : [{ type: "text" as const, text: typed }]), ...parts];
    if (new Blob([JSON.stringify(content)]).size > MOST_BYTES) {
      problem.value = TOO_LONG;
      return;
    }
    session.prompt(content, typed || IMAGES, { later });
    set("");
    images.value = [];
    problem.value = undefined;
  };
  useEffect(() => {
    const { value: how } = wanted;
    if (isReading || how === undefined) return;
    wanted.value = undefined;
    send(how.later);
  }, [isReading]);
  const isBusy = session.state.value !== "idle";
  if (session.isViewer.value)
    return (
      <div class="prompt-box">
        <Waiting session={session} />
        <p class="dim watching">
          This device only watches. <InForce session={session} open={open} />
        </p>
      </div>
    );
  const keys = (event: KeyboardEvent) => {
    if (event.isComposing) return;
    if (suggest.current(event)) event.preventDefault();
    else if (event.key === "Enter" && !event.shiftKey && !isTouch) {
      event.preventDefault();
      if (!event.repeat) send(event.altKey && isBusy);
    } else if (event.key === "Escape" && isBusy) session.interrupt();
    else if (event.key === "ArrowUp" && text.value === "") session.takeBackLast();
  };
  const moved = ({ currentTarget }: { readonly currentTarget: HTMLTextAreaElement }) =>
    (caret.value = currentTarget.selectionStart);
  const complete = (from: number, inserted: string) => {
    const { current } = field;
    if (current === null) return;
    set(text.value.slice(0, from) + inserted + text.value.slice(caret.value));
    current.value = text.value;
    caret.value = from + inserted.length;
    current.setSelectionRange(caret.value, caret.value);
    current.focus();
  };
  return (
    <div class="prompt-box">
      <Waiting session={session} />
      {/^\/|@/.test(text.value) ? (
        <Suggestions
          session={session}
          text={text.value}
          caret={caret.value}
          keys={suggest}
          active={active}
          complete={complete}
        />
      ) : null}
      {isReading || images.value.length > 0 ? (
        <Attached
          images={images.value}
          isReading={isReading}
          isSent={wanted.value !== undefined}
          remove={(gone) => (images.value = images.value.filter((each) => each !== gone))}
        />
      ) : null}
      {problem.value === undefined ? null : (
        <p class="error attached" role="alert">
          {problem.value}
        </p>
      )}
      <textarea
        ref={field}
        rows={1}
        aria-label="Prompt"
        aria-autocomplete="list"
        aria-controls={active.value === undefined ? undefined : "suggestions"}
        aria-activedescendant={active.value}
        placeholder={isBusy ? "Send a follow-up" : "What should be done?"}
        value={text.value}
        onInput={({ currentTarget }) => {
          session.open();
          set(currentTarget.value);
          caret.value = currentTarget.selectionStart;
        }}
        onKeyDown={keys}
        onKeyUp={moved}
        onClick={moved}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (files.length === 0) return;
          event.preventDefault();
          attach(files);
        }}
      />
      <div class="tools">
        <div class="settings">
          <label class="button quiet attach" title="Attach images">
            <input
              type="file"
              accept="image/*"
              multiple
              aria-label="Attach images"
              onChange={({ currentTarget }) => {
                attach(currentTarget.files ?? []);
                currentTarget.value = "";
              }}
            />
            <span aria-hidden="true">+</span>
          </label>
          <Choices session={session} open={open} />
        </div>
        {isBusy ? (
          <button class="stop" title="Esc" onClick={() => session.interrupt()}>
            <span class="word">Stop</span>
          </button>
        ) : null}
        {isBusy && !isEmpty ? (
          <button title="Alt+Enter" onClick={() => send(true)}>
            After this
          </button>
        ) : null}
        <button class="primary" disabled={isEmpty} onClick={() => send()}>
          Send
        </button>
      </div>
    </div>
  );
}

const IMAGES = "Images";
/** A message may have 1 MB. */
const MOST_BYTES = 1e6;
const TOO_LONG = "Too long; name a file with @";

const textIn = (content: PromptContent) =>
  blocksOf(content)
    .filter(isText)
    .map((block) => block.text)
    .join("\n")
    .trim();

/** Escape stops the run also while the conversation is read, but not while something else can be closed. */
function globalKeys(session: LiveSession): () => void {
  const pressed = (event: KeyboardEvent) => {
    const at = event.target;
    const isReading = at === document.body || (at instanceof Element && at.closest(".scroll") !== null);
    if (event.key !== "Escape" || event.defaultPrevented || !isReading) return;
    if (document.querySelector("dialog[open], :popover-open") === null && session.state.peek() === "running")
      session.interrupt();
  };
  document.addEventListener("keydown", pressed);
  return () => document.removeEventListener("keydown", pressed);
}

function Waiting({ session }: { readonly session: LiveSession }) {
  const own = session.outgoing.value;
  const others = session.queue.value.filter(({ uuid }) => own.every((each) => each.uuid !== uuid));
  const waits = (priority: string | undefined) => (priority === "later" ? "comes after" : "waits");
  const row = (uuid: string | undefined, text: string, how: string, isQueued = false) => (
    <li key={uuid}>
      <span class="text">{showRow(text) || IMAGES}</span>
      <span class="dim">{how}</span>
      {isQueued ? (
        <button class="quiet" onClick={() => session.takeBack(uuid!)}>
          Take back
        </button>
      ) : null}
    </li>
  );
  return own.length + others.length === 0 ? null : (
    <ul class="queued" aria-label="Prompts that wait">
      {others.map(({ uuid, text, priority, by }) =>
        row(uuid, text, waits(priority) + (by ? ` · from ${showRow(by.name ?? "a program")}` : "")),
      )}
      {own.map(({ uuid, text, isQueued, message: { priority } }) =>
        row(uuid, text, isQueued ? waits(priority) : "sending", isQueued),
      )}
    </ul>
  );
}
