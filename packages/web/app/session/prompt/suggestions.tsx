// What a word of the prompt may become: commands behind a slash at its beginning, files behind an `@`.

import { useSignal, type Signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { RefObject } from "preact";
import { matchCommands } from "@keelson/client/commands";
import { mentionAt, mentionText } from "@keelson/client/mention";
import { PathText } from "../../transcript/path-text.tsx";
import { showRow } from "../../transcript/visible.ts";
import type { LiveSession } from "../live-session.ts";

interface SuggestionsProps {
  readonly session: LiveSession;
  readonly text: string;
  readonly caret: number;
  /** Takes keys while the list is open; true if it took one. */
  readonly keys: RefObject<(event: KeyboardEvent) => boolean>;
  /** Is set to the id of the marked one. */
  readonly active: Signal<string | undefined>;
  complete(from: number, inserted: string): void;
}

interface Suggestion {
  readonly label: string;
  readonly isPath?: boolean;
  readonly detail: string;
  readonly inserted: string;
}

interface Found {
  /** Where the word begins that they are for. */
  readonly start: number;
  readonly suggestions: readonly Suggestion[];
}

const NONE: Found = { start: -1, suggestions: [] };
const MOST = 50;

export function Suggestions({ session, text, caret, keys, active, complete }: SuggestionsProps) {
  const found = useSignal(NONE);
  const marked = useSignal(0);
  const closed = useSignal<string | undefined>(undefined);
  const list = useRef<HTMLUListElement>(null);
  const before = text.slice(0, caret);
  const command = /^\/(\S*)$/.exec(before)?.[1];
  const mention = command === undefined ? mentionAt(before, caret) : undefined;
  const start = command === undefined ? (mention?.start ?? -1) : 0;
  const word = start < 0 ? "" : `${start} ${before.slice(start)}`;
  const commands = session.commands.value;

  useEffect(() => {
    const show = (suggestions: readonly Suggestion[]) => {
      found.value = { start, suggestions };
      marked.value = 0;
    };
    if (command !== undefined) return show(commandsFor(command));
    if (mention === undefined) return show([]);
    const current = new AbortController();
    session.requests.request("file_suggestions", { query: mention.query }, current.signal).then(
      ({ suggestions }) => show(suggestions.map(({ path }) => fileSuggestion(path))),
      () => undefined,
    );
    return () => current.abort();
  }, [word, commands]);

  const commandsFor = (query: string) =>
    matchCommands(query, commands)
      .slice(0, MOST)
      .map(({ name, argumentHint = "", description }): Suggestion => ({
        label: `/${name}${argumentHint === "" ? "" : ` ${argumentHint}`}`,
        detail: description,
        inserted: `/${name} `,
      }));
  // What was found for the beginning of the word is shown until there is more.
  const { suggestions } = found.value.start !== start || closed.value === word ? NONE : found.value;
  const choose = ({ inserted }: Suggestion) => complete(start, inserted);
  keys.current = ({ key, shiftKey, altKey }) => {
    if (suggestions.length === 0 || shiftKey || altKey) return false;
    if (key === "ArrowDown" || key === "ArrowUp") {
      const step = key === "ArrowDown" ? 1 : suggestions.length - 1;
      marked.value = (marked.value + step) % suggestions.length;
      return true;
    }
    if (key === "Escape") {
      closed.value = word;
      return true;
    }
    const chosen = suggestions[marked.value];
    if (chosen === undefined || (key !== "Enter" && key !== "Tab")) return false;
    // A command that is there in full is sent.
    if (key === "Enter" && chosen.inserted.trimEnd() === before.slice(start)) return false;
    choose(chosen);
    return true;
  };
  useEffect(() => () => void (keys.current = () => false), []);
  const activeId = suggestions.length === 0 ? undefined : optionId(marked.value);
  useLayoutEffect(() => {
    active.value = activeId;
    return () => void (active.value = undefined);
  }, [activeId]);
  useLayoutEffect(
    () => list.current?.children[marked.value]?.scrollIntoView({ block: "nearest" }),
    [marked.value, suggestions],
  );
  if (suggestions.length === 0) return null;
  return (
    <ul class="suggestions" id="suggestions" role="listbox" aria-label="Suggestions" tabIndex={0} ref={list}>
      {suggestions.map((suggestion, at) => (
        <li
          key={suggestion.label}
          id={optionId(at)}
          role="option"
          aria-selected={at === marked.value}
          // What is drawn in two parts is read as one.
          aria-label={suggestion.isPath ? showRow(suggestion.label) : undefined}
          // The prompt keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(suggestion)}
        >
          {suggestion.isPath ? (
            <PathText class="mono" path={suggestion.label} />
          ) : (
            <span class="mono">{showRow(suggestion.label)}</span>
          )}{" "}
          <span class="dim">{showRow(suggestion.detail)}</span>
        </li>
      ))}
    </ul>
  );
}

const optionId = (at: number) => `suggestion-${at}`;

const fileSuggestion = (path: string): Suggestion => ({
  label: path,
  isPath: true,
  detail: "",
  inserted: mentionText(path).text,
});
