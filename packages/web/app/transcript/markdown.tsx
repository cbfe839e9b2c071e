// Markdown to elements. Only the lexer of `marked` is used: text becomes text nodes, HTML in it is shown as it is written, and
// images are captions, since their address would tell someone else what is read here.

import type { Token, Tokens } from "marked";
import type { ComponentChildren, JSX } from "preact";
import { useMemo } from "preact/hooks";
import { Code } from "./code/code.tsx";
import { memo } from "./memo.ts";
import { lexed, TEXT_LEAD, type MarkdownBlock } from "./markdown-blocks.ts";
import { MarkdownText } from "./markdown-text.ts";

/** What was read of it. */
export function Markdown({ text }: { readonly text: MarkdownText }) {
  return (
    <div class="markdown">
      {text.sections.map((blocks, at) => (
        <Section key={at} blocks={blocks} />
      ))}
    </div>
  );
}

/** A text that is complete. */
export function MarkdownOf({ text }: { readonly text: string }) {
  const whole = useMemo(() => wholeText(text), [text]);
  return <Markdown text={whole} />;
}

export function wholeText(text: string): MarkdownText {
  const whole = new MarkdownText();
  whole.push(text);
  whole.end();
  whole.read();
  return whole;
}

const Section = memo(({ blocks }: { readonly blocks: readonly MarkdownBlock[] }) => (
  <div class={blocks[0]?.rest ? "part goes-on" : "part"}>
    {blocks.map(({ raw, rest }, at) => (
      <Block key={at} raw={raw} lead={rest?.lead ?? ""} isRest={rest !== undefined} number={rest?.number} />
    ))}
  </div>
));

interface BlockProps extends Pick<MarkdownBlock, "raw"> {
  readonly lead: string;
  /** It goes on with the one before it. */
  readonly isRest: boolean;
  readonly number: number | undefined;
}

const Block = memo(({ raw, lead, isRest, number }: BlockProps) => {
  const tokens = lexed(lead + raw);
  if (!isRest) return <>{all(tokens, 0)}</>;
  const [first, ...others] = tokens;
  return (
    <>
      {first === undefined ? null : <div class="goes-on">{one(pieceOf(first, lead, number), 1)}</div>}
      {all(others, 0)}
    </>
  );
});

function pieceOf(token: Token, lead: string, number: number | undefined): Token {
  if (number !== undefined) return { ...token, start: number };
  if (lead !== TEXT_LEAD) return token;
  const [first, ...others] = (token as Tokens.Generic).tokens ?? [];
  if (first === undefined) return token;
  const text = String((first as Tokens.Generic)["text"]).slice(lead.length);
  return { ...token, tokens: [{ ...first, text, raw: text }, ...others] };
}

/** Deeper nesting is shown as it is written. */
const DEEPEST = 24;

function all(tokens: readonly Token[] | undefined, depth: number): ComponentChildren {
  return tokens?.map((token) => one(token, depth + 1));
}

function one(token: Token, depth: number): ComponentChildren {
  if (depth > DEEPEST) return token.raw;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "hr":
      return <hr />;
    case "br":
      return <br />;
    case "heading":
      return heading(token as Tokens.Heading, depth);
    case "code":
      return codeBlock(String(token["text"]), String(token["lang"] ?? ""));
    case "blockquote":
      return <blockquote>{all(token.tokens, depth)}</blockquote>;
    case "list":
      return list(token as Tokens.List, depth);
    case "table":
      return table(token as Tokens.Table, depth);
    case "paragraph":
      return <p>{all(token.tokens, depth)}</p>;
    case "strong":
      return <strong>{all(token.tokens, depth)}</strong>;
    case "em":
      return <em>{all(token.tokens, depth)}</em>;
    case "del":
      return <del>{all(token.tokens, depth)}</del>;
    case "codespan":
      return <code>{String(token["text"])}</code>;
    case "link":
      return link(token as Tokens.Link, depth);
    case "image":
      return <span class="image-caption">[{String(token["text"]) || "image"}]</span>;
    case "escape":
      return String(token["text"]);
    case "text":
      return token.tokens ? all(token.tokens, depth) : entities(String(token["text"]));
    default:
      // HTML, and anything else.
      return token.raw;
  }
}

/** Beside the language, a fence may say more. */
const codeBlock = (text: string, info: string): JSX.Element => (
  <pre tabIndex={0}>
    <code>
      <Code text={text} language={info.split(/\s/)[0]!} />
    </code>
  </pre>
);

const HEADINGS = ["h3", "h3", "h4", "h5", "h6", "h6"] as const;

function heading({ depth: level, tokens }: Tokens.Heading, depth: number): JSX.Element {
  const Heading = HEADINGS[level - 1] ?? "h6";
  return <Heading>{all(tokens, depth)}</Heading>;
}

function list({ ordered, start, items }: Tokens.List, depth: number): JSX.Element {
  const children = items.map(({ task, checked, tokens }, at) => (
    <li key={at} class={task ? "task" : undefined}>
      {task ? (
        <input type="checkbox" checked={checked === true} disabled aria-label={checked ? "done" : "open"} />
      ) : null}
      {all(
        tokens.filter(({ type }) => type !== "checkbox"),
        depth,
      )}
    </li>
  ));
  return ordered ? <ol start={typeof start === "number" ? start : 1}>{children}</ol> : <ul>{children}</ul>;
}

function table({ header, rows, align }: Tokens.Table, depth: number): JSX.Element {
  const side = (at: number) => (align[at] ? `to-${align[at]}` : undefined);
  return (
    <div class="table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map(({ tokens }, at) => (
              <th key={at} class={side(at)}>
                {all(tokens, depth)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, y) => (
            <tr key={y}>
              {row.map(({ tokens }, at) => (
                <td key={at} class={side(at)}>
                  {all(tokens, depth)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function link({ href, tokens, raw }: Tokens.Link, depth: number): ComponentChildren {
  const target = safeTarget(href);
  if (target === undefined) return raw;
  return (
    <a href={target} title={target} target="_blank" rel="noreferrer noopener">
      {all(tokens, depth)}
    </a>
  );
}

/** Addresses that a browser only visits. */
export function safeTarget(href: string): string | undefined {
  if (!URL.canParse(href)) return undefined;
  const { protocol, href: whole } = new URL(href);
  return protocol === "https:" || protocol === "http:" || protocol === "mailto:" ? whole : undefined;
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0" };

/** Those that Markdown is written with. */
const entities = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|apos|nbsp|#\d{1,7});/g, (whole, name: string) => {
    if (!name.startsWith("#")) return NAMED[name] ?? whole;
    const point = Number(name.slice(1));
    return point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff)
      ? String.fromCodePoint(point)
      : whole;
  });
