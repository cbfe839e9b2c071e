// Where Chat Completions requests go. Azure has one address per deployment, or one like the vendor's.

import type { Server } from "../../http/server.ts";
import { flavourOf } from "../shared/flavour.ts";

const AZURE_VERSION = "2024-10-21";

export interface ChatAddress {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
}

export function addressOfChat(server: Server, model: string): ChatAddress {
  const base = URL.parse(server.baseUrl)?.pathname.replace(/\/+$/, "") ?? "";
  if (flavourOf(server) !== "azure" || /\/openai\/v\d+$/.test(base)) return { path: "/chat/completions" };
  const query = server.query?.["api-version"] ? {} : { query: { "api-version": AZURE_VERSION } };
  if (/\/deployments\/[^/]+$/.test(base)) return { path: "/chat/completions", ...query };
  const folder = base.endsWith("/openai") ? "" : "/openai";
  return { path: `${folder}/deployments/${encodeURIComponent(model)}/chat/completions`, ...query };
}
