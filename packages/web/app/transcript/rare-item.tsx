// Items that few conversations have.

import type { CompactionItem, LimitItem } from "@keelson/client";
import type { PageItem } from "../session/items.ts";
import { MarkdownOf } from "./markdown.tsx";
import { showRow } from "./visible.ts";

type Rare = Extract<PageItem, { readonly kind: "compaction" | "rewind" | "summary" | "limit" }>;

export function RareItem({ item }: { readonly item: Rare }) {
  switch (item.kind) {
    case "compaction":
      return <p class="rule">{compactionText(item)}</p>;
    case "rewind":
      return <p class="rule">{showRow(item.text)}</p>;
    case "summary":
      return (
        <details class="fold">
          <summary>Summary of what came before</summary>
          <MarkdownOf text={item.text} />
        </details>
      );
    case "limit":
      return <p class={item.isReached ? "note error" : "note warning"}>{limitText(item)}</p>;
  }
}

function compactionText({ tokensBefore, tokensAfter }: CompactionItem): string {
  const count = (tokens: number) => tokens.toLocaleString("en");
  if (tokensBefore === undefined) return "The conversation was compacted";
  const after = tokensAfter === undefined ? "" : ` to ${count(tokensAfter)}`;
  return `The conversation was compacted from ${count(tokensBefore)}${after} tokens`;
}

function limitText({ isReached, limit = "limit", used, resetsAt }: LimitItem): string {
  const until = resetsAt === undefined ? "" : `, until ${new Date(resetsAt).toLocaleTimeString()}`;
  if (isReached) return `The ${limit} of the account is reached${until}`;
  return `${used === undefined ? "Most" : `${Math.round(used * 100)} %`} of the ${limit} of the account is used${until}`;
}
