// The conversation of one session, and requests to it outside its stream.

import { HttpRefusal } from "../door/refusal.ts";
import type { ExportedAs, WebHost } from "../host.ts";
import { askSession } from "./ask-session.ts";
import { refusingNotOpened, openedFor } from "./opened.ts";
import { TEXT_OR_NULL, type FieldSchema, type Route } from "./route.ts";
import { known } from "./sessions.ts";

const FORMATS: Readonly<Record<ExportedAs, string>> = {
  markdown: "text/markdown; charset=utf-8",
  // Shown, it would be a page of this origin.
  html: "application/octet-stream",
  json: "application/json; charset=utf-8",
};
const USUAL_MESSAGES = 200;
const MOST_MESSAGES = 1_000;
const MESSAGE: FieldSchema = { type: "object", additionalProperties: true };
const CHANGED_FILE: FieldSchema = {
  type: "object",
  properties: {
    path: { type: "string" },
    status: { type: "string", enum: ["added", "modified", "deleted"] },
    added: { anyOf: [{ type: "integer" }, { type: "null" }], description: "Lines; null if it is not shown as text." },
    removed: { anyOf: [{ type: "integer" }, { type: "null" }] },
  },
};
const isFormat = (value: string): value is ExportedAs => Object.hasOwn(FORMATS, value);

export function conversationRoutes(host: WebHost): readonly Route[] {
  const id = ({ id }: Readonly<Record<string, string>>) => id!;
  return [
    {
      method: "GET",
      path: "/v1/sessions/{id}/entries",
      access: "viewer",
      summary: "Messages of the conversation, oldest first: the newest, or those before one",
      query: {
        before: { maxLength: 100, description: "`next_cursor` of the page before." },
        limit: { maxLength: 4, description: `How many to return, ${MOST_MESSAGES} at most.` },
      },
      reply: {
        type: "object",
        properties: { data: { type: "array", items: MESSAGE }, next_cursor: TEXT_OR_NULL },
      },
      errors: [404, 409],
      async run({ params, query: { before, limit } }) {
        await known(host, id(params));
        if (limit !== undefined && !/^[1-9]\d*$/.test(limit))
          throw new HttpRefusal("invalid_request", `"limit" must be a number from 1 to ${MOST_MESSAGES}`);
        const page = await host.messages(id(params), {
          ...(before === undefined ? {} : { before }),
          limit: Math.min(Number(limit ?? USUAL_MESSAGES), MOST_MESSAGES),
        });
        if (page === undefined) throw new HttpRefusal("not_found", "There is no such session");
        return { json: { data: page.messages, next_cursor: page.before } };
      },
    },
    {
      method: "POST",
      path: "/v1/sessions/{id}/interrupt",
      access: "driver",
      summary: "Interrupt the run",
      body: { type: "object" },
      reply: {
        type: "object",
        properties: { still_queued: { type: "array", items: { type: "string" } } },
        additionalProperties: true,
      },
      errors: [404, 409],
      async run({ params, device }) {
        await known(host, id(params));
        const opened = await host.join(id(params));
        // One that is not open does nothing.
        return { json: opened ? await askSession(opened, device, "interrupt") : { still_queued: [] } };
      },
    },
    {
      method: "POST",
      path: "/v1/sessions/{id}/rewind",
      access: "driver",
      summary: "Restore files and conversation to before a prompt",
      body: {
        type: "object",
        required: ["prompt"],
        properties: {
          prompt: { type: "string", maxLength: 36, description: "The id of the prompt." },
          files: { type: "boolean", description: "Restore the files that calls have changed. Default: false." },
          conversation: { type: "boolean", description: "Forget the prompt and what followed it. Default: false." },
          dry_run: { type: "boolean", description: "Only list the files that would change." },
        },
      },
      reply: { type: "object", additionalProperties: true },
      errors: [404, 409],
      async run({ params, body, device }) {
        await known(host, id(params));
        const user_message_id = String(body["prompt"]);
        const open = () => openedFor(host, { cwd: host.cwd, resume: id(params) });
        const dry = body["dry_run"] === true ? { dry_run: true } : {};
        const isFiles = body["files"] === true || body["dry_run"] === true;
        const files = isFiles
          ? await askSession(await open(), device, "rewind_files", { user_message_id, ...dry })
          : undefined;
        const isBack = body["conversation"] === true && body["dry_run"] !== true;
        const conversation = isBack
          ? await askSession(await open(), device, "rewind_conversation", { user_message_id })
          : undefined;
        return { json: { ...(files ? { files } : {}), ...(conversation ? { conversation } : {}) } };
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/{id}/diff",
      access: "viewer",
      isCostly: () => true,
      summary: "Changes to the files of the folder since the session began, as far as the session may read them",
      query: { since: { maxLength: 6, description: "`start`, the default, or `commit`: the last one." } },
      reply: {
        type: "object",
        properties: {
          diff: { ...TEXT_OR_NULL, description: "As git prints it; null if there is nothing to compare with." },
          since: { type: "string", enum: ["start", "commit"] },
          commit: {
            ...TEXT_OR_NULL,
            description: "What git compares with; other files were kept before they were changed.",
          },
          files: { type: "array", items: CHANGED_FILE },
          hidden: { type: "integer", description: "So many more may not be read." },
          incomplete: { type: "boolean", description: "There may be more, or what a file was is not known." },
        },
      },
      errors: [404, 409],
      async run({ params, query: { since = "start" }, device, signal }) {
        if (since !== "start" && since !== "commit")
          throw new HttpRefusal("invalid_request", `"since" must be "start" or "commit"`);
        await known(host, id(params));
        const opened = await host.join(id(params));
        const json = opened
          ? await askSession(opened, device, "get_working_diff", { since })
          : await refusingNotOpened(() => host.changes(id(params), since, signal));
        if (json === undefined) throw new HttpRefusal("not_found", "Nothing of this session is stored yet");
        return { json };
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/{id}/files",
      access: "driver",
      summary: "Files of the folder whose names match, the best first, as far as the session may read them",
      query: { q: { maxLength: 200, description: "A part of the path." } },
      reply: {
        type: "object",
        properties: {
          data: {
            type: "array",
            items: {
              type: "object",
              properties: { path: { type: "string" }, type: { type: "string", enum: ["file", "directory"] } },
            },
          },
          next_cursor: { type: "null" },
        },
      },
      errors: [404, 409],
      async run({ params, query: { q = "" }, device }) {
        await known(host, id(params));
        const opened = await host.join(id(params));
        if (opened === undefined) throw new HttpRefusal("conflict", "The session is not open; a prompt opens it");
        const { suggestions } = await askSession(opened, device, "file_suggestions", { query: q });
        return { json: { data: suggestions.map(({ path, type }) => ({ path, type })), next_cursor: null } };
      },
    },
    {
      method: "GET",
      path: "/v1/sessions/{id}/export",
      access: "viewer",
      isCostly: () => true,
      summary: "The conversation as a document",
      query: { format: { maxLength: 10, description: "`markdown`, the default, `html` or `json`." } },
      reply: { type: "string" },
      errors: [404],
      async run({ params, query: { format = "markdown" } }) {
        if (!isFormat(format))
          throw new HttpRefusal("invalid_request", `"format" must be one of "markdown", "html", "json"`);
        await known(host, id(params));
        const text = await host.exported(id(params), format);
        if (text === undefined) throw new HttpRefusal("not_found", "Nothing of this session is stored yet");
        const ending = format === "markdown" ? "md" : format;
        const named = `attachment; filename="${id(params)}.${ending}"`;
        return { text, headers: { "Content-Type": FORMATS[format], "Content-Disposition": named } };
      },
    },
  ];
}
