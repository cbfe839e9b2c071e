// An exported session: the conversation as the page of a running session draws it, in one file that asks nobody for anything.
// The text is in a block of data; nothing of it becomes an element.

import { signal } from "@preact/signals";
import { render } from "preact";
import { Item } from "../transcript/item.tsx";
import { showAll, showRow } from "../transcript/visible.ts";
import { readDocument, type Entry, type ExportedDocument } from "./lines.ts";

/** The first are there at once, the others while the page can be read already. */
const IN_SECTION = 40;
const AT_ONCE = 3;
const LONGEST_TITLE = 120;

const found = signal<number | undefined>(undefined);
const showsContext = signal(false);

function start(): void {
  const shown = readDocument(document.querySelector("#session")?.textContent ?? "");
  const title = titleOf(shown);
  document.title = title;
  const page = document.querySelector("#page")!;
  const [head, main, foot] = ["header", "main", "footer"].map((name) => page.appendChild(document.createElement(name)));
  render(<Head title={title} shown={shown} />, head!);
  render(<Losses losses={shown.losses} />, foot!);
  drawFrom(0, shown.entries, main!);
}

/** The first prompt says what it is about. */
function titleOf({ title, entries }: ExportedDocument): string {
  const prompt = entries.find(({ isPrompt }) => isPrompt)?.text() ?? "";
  const text = showRow((title || prompt || "Session").trim().replace(/\s+/g, " "));
  return text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE).trimEnd()}…` : text;
}

function drawFrom(first: number, entries: readonly Entry[], main: Element): void {
  for (let section = 0; section < AT_ONCE && first < entries.length; section++) {
    const own = entries.slice(first, (first += IN_SECTION));
    const place = main.appendChild(document.createElement("section"));
    place.className = "span";
    for (const { cell } of own) if (cell?.item.kind === "answer") cell.item.text.read();
    render(
      own.map((entry) => <Row key={entry.id} entry={entry} />),
      place,
    );
  }
  if (first < entries.length) return void setTimeout(() => drawFrom(first, entries, main));
  if (location.hash.length > 1) document.getElementById(location.hash.slice(1))?.scrollIntoView();
  document.documentElement.dataset["drawn"] = "whole";
}

function Row({ entry: { id, cell, context, agent, at } }: { readonly entry: Entry }) {
  return (
    <div class={context ? "entry context" : "entry"} id={id}>
      {cell ? <Item cell={cell} /> : null}
      {context ? (
        <details class="fold">
          <summary>For the model: {showRow(context.about)}</summary>
          <pre class="output" tabIndex={0}>
            {showAll(context.text)}
          </pre>
        </details>
      ) : null}
      {agent ? (
        <h2>
          {showRow(agent.title)} <small class="dim">{showRow(agent.facts)}</small>
        </h2>
      ) : null}
      <a class="at dim" href={`#${id}`} aria-label="Link to this message">
        {at === undefined ? "#" : localTime(at)}
      </a>
    </div>
  );
}

function Head({ title, shown }: { readonly title: string; readonly shown: ExportedDocument }) {
  return (
    <>
      <h1>{title}</h1>
      <dl>
        {shown.facts.map(({ name, value }) => (
          <div key={name}>
            <dt class="dim">{name}</dt>
            <dd>{/^\d{4}-\d\d-\d\dT/.test(value) ? localTime(Date.parse(value)) : showRow(value)}</dd>
          </div>
        ))}
      </dl>
      <Tools entries={shown.entries} />
    </>
  );
}

function Tools({ entries }: { readonly entries: readonly Entry[] }) {
  const hasContext = entries.some(({ context }) => context !== undefined);
  return (
    <div class="tools" role="search">
      <input
        type="search"
        placeholder="Search"
        aria-label="Search the conversation"
        onInput={({ currentTarget }) => search(currentTarget.value, entries)}
      />
      <span class="dim" role="status">
        {found.value === undefined ? "" : `${found.value} of ${entries.length}`}
      </span>
      <button onClick={() => openAll(true)}>Open all</button>
      <button onClick={() => openAll(false)}>Close all</button>
      {hasContext ? (
        <label>
          <input
            type="checkbox"
            checked={showsContext.value}
            onChange={({ currentTarget }) => {
              showsContext.value = currentTarget.checked;
              document.body.classList.toggle("with-context", currentTarget.checked);
            }}
          />{" "}
          Text for the model
        </label>
      ) : null}
    </div>
  );
}

function Losses({ losses }: { readonly losses: readonly string[] }) {
  return (
    <>
      {losses.map((text) => (
        <p key={text} class="dim">
          {text}
        </p>
      ))}
    </>
  );
}

function openAll(isOpen: boolean): void {
  for (const fold of document.querySelectorAll<HTMLDetailsElement>("main details")) fold.open = isOpen;
}

/** In lower case, once for each. */
const texts = new WeakMap<Entry, string>();

function search(words: string, entries: readonly Entry[]): void {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  let count = 0;
  for (const entry of entries) {
    let text = texts.get(entry);
    if (wanted.length > 0 && text === undefined) texts.set(entry, (text = entry.text().toLowerCase()));
    const isFound = wanted.every((word) => text!.includes(word));
    if (isFound) count++;
    const row = document.getElementById(entry.id);
    if (row) row.hidden = !isFound;
  }
  found.value = wanted.length === 0 ? undefined : count;
}

const localTime = (ms: number) =>
  Number.isNaN(ms) ? "" : new Date(ms).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });

start();
