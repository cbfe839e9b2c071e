// Pages of lists: `limit` and `cursor` in the query, `data` and `next_cursor` in the answer.

import { TEXT_OR_NULL, type RouteReply } from "@keelson/web";
import { InvalidCursor, type PageWanted, type RowPage } from "../store/run-store.ts";
import { wrongField } from "./api-error.ts";

export const PAGE_QUERY = {
  limit: { maxLength: 4, description: "At most so many, up to 100" },
  cursor: { maxLength: 500, description: "`next_cursor` of the page before" },
} as const;

export const PAGE_REPLY = {
  type: "object",
  properties: {
    data: { type: "array", items: { type: "object", additionalProperties: true } },
    next_cursor: TEXT_OR_NULL,
  },
} as const;

const MOST = 100;

export function pageWanted({
  limit,
  cursor,
}: Readonly<Record<string, string>>): PageWanted & { readonly limit: number } {
  const wanted = limit === undefined ? MOST : Number(limit);
  if (!/^\d+$/.test(limit ?? "1") || wanted < 1) throw wrongField("limit", "must be a whole number from 1");
  // Databases keep no NUL, so they do not look for it either.
  if (cursor !== undefined && !/^[\x21-\x7e]+$/.test(cursor)) throw invalidCursor();
  return { limit: Math.min(wanted, MOST), ...(cursor === undefined ? {} : { cursor }) };
}

const invalidCursor = () => wrongField("cursor", "not valid");

export async function replyWithPage<Row>(
  rows: () => Promise<RowPage<Row>>,
  show: (row: Row) => unknown,
): Promise<RouteReply> {
  try {
    const page = await rows();
    return { json: { data: await Promise.all(page.rows.map(show)), next_cursor: page.next } };
  } catch (error) {
    if (error instanceof InvalidCursor) throw invalidCursor();
    throw error;
  }
}
