// The Messages API at another address, or with credentials that are not fixed: blocks of the settings with the API
// `anthropic`, Foundry and the like, and keys that a command prints.

import { isObject, type JsonObject } from "@keelson/protocol";
import { responseError } from "../../http/http-error.ts";
import type { Dialect, ListedModel } from "../../dialect.ts";
import type { Caller } from "../../messages/headers.ts";
import { messagesProvider, type MessagesVariant } from "../../messages/provider.ts";
import { readJson } from "../../messages/reply/read-reply.ts";
import { callServer, type Server } from "../../http/server.ts";

export function messagesDialect(caller: Caller, extra?: JsonObject): Dialect {
  return {
    provider: (server) => messagesProvider(server, variantFor(server, extra), caller),
    async list(server, { signal, timeoutMs }) {
      const call = await callServer(
        server,
        {
          path: `${version(server)}/models?limit=1000`,
          headers: { "anthropic-version": "2023-06-01" },
          timeoutMs,
          errorOf: (response) => responseError(response, []),
        },
        signal,
      );
      const answer = await readJson(call);
      const data = isObject(answer) && Array.isArray(answer["data"]) ? answer["data"] : [];
      return data.flatMap((model): ListedModel[] =>
        isObject(model) && typeof model["id"] === "string" ? [{ id: model["id"] }] : [],
      );
    },
  };
}

function variantFor(server: Server, extra: JsonObject | undefined): MessagesVariant {
  return {
    id: server.provider,
    form: (_request, wanted) => ({
      path: `${version(server)}/messages${wanted === "count" ? "/count_tokens" : ""}?beta=true`,
      streamField: true,
      ...(extra && wanted !== "count" ? { extra } : {}),
    }),
    errorOf: (response) => responseError(response, []),
  };
}

/** People write the address with and without the version. */
const version = ({ baseUrl }: Server) => (/\/v1\/*$/.test(baseUrl) ? "" : "/v1");
