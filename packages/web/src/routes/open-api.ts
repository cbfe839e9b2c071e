// The OpenAPI file, made from the route table.

import { VERSION } from "@keelson/protocol";
import type { DeviceRole } from "../devices/devices.ts";
import type { Route, FieldSchema } from "./route.ts";

export interface DescribedApi {
  readonly routes: readonly Route[];
  /** What the server has. */
  readonly description: string;
  /** WebSockets, by their paths. */
  readonly streams: Readonly<Record<string, DescribedStream>>;
  /** What people call the roles of the door. Default: as the door does. */
  readonly roles?: Readonly<Record<DeviceRole, string>>;
}

export interface DescribedStream {
  readonly summary: string;
  readonly description: string;
  /** What `after` may be. Absent: it takes none. */
  readonly after?: string;
  /** The form of ids in its path. Default: a UUID. */
  readonly ids?: RegExp;
}

export function openApi({ routes, description, streams, roles = DOOR_NAMES }: DescribedApi): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route, roles);
  for (const [path, stream] of Object.entries(streams)) paths[path] = { get: streamOperation(path, stream, roles) };
  return {
    openapi: "3.1.0",
    info: { title: "Keelson", version: VERSION, description: `${description} Errors are \`{type, error}\`.` },
    paths,
    components: {
      securitySchemes: { device: { type: "http", scheme: "bearer" } },
      schemas: {
        Error: {
          type: "object",
          required: ["type", "error"],
          properties: {
            type: { type: "string", const: "error" },
            error: {
              type: "object",
              required: ["type", "message"],
              properties: { type: { type: "string" }, message: { type: "string" } },
            },
          },
        },
      },
    },
  };
}

const DOOR_NAMES: Readonly<Record<DeviceRole, string>> = { viewer: "viewer", driver: "driver", admin: "admin" };

/** What the door may say to any request. */
const USUAL_ERRORS = [400, 403, 413, 415, 421, 429, 500, 507];

function operation(route: Route, roles: Readonly<Record<DeviceRole, string>>): object {
  const { summary, access, path, query = {}, body, takesBytes, reply, status = 200, errors = [] } = route;
  const refusals = [...new Set([...USUAL_ERRORS, ...errors, ...(access === "anyone" ? [] : [401])])].toSorted(
    (a, b) => a - b,
  );
  const parameters = [
    ...pathParameters(path, route.ids),
    ...Object.entries(query).map(([name, { maxLength, description }]) => ({
      name,
      in: "query",
      description,
      schema: { type: "string", maxLength },
    })),
  ];
  return {
    summary,
    ...(access === "anyone" ? { security: [] } : { security: [{ device: [] }], "x-role": roles[access] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body ? { requestBody: { required: true, content: { "application/json": { schema: closed(body) } } } } : {}),
    ...(takesBytes ? { requestBody: { content: { "*/*": {} } } } : {}),
    responses: {
      [status]:
        status === 204
          ? { description: "Done" }
          : {
              description: summary,
              content: { [isText(reply) ? "text/markdown" : "application/json"]: { schema: reply } },
            },
      ...Object.fromEntries(refusals.map((each) => [each, REFUSED])),
    },
  };
}

const isText = (reply: FieldSchema) => "type" in reply && reply.type === "string";

const REFUSED = {
  description: "Refused",
  content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
};

const closed = (schema: FieldSchema) => ({ additionalProperties: false, ...schema });

const pathParameters = (path: string, ids?: RegExp) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string", ...(ids ? { pattern: ids.source } : { format: "uuid" }) },
  }));

/** The streams of sessions. */
export const SESSION_STREAMS: Readonly<Record<string, DescribedStream>> = {
  "/v1/sessions/stream": {
    summary: "The list of sessions as it changes, as a WebSocket",
    description:
      "Each frame is `{c: null, m}`. First, m is " +
      '`{type: "sessions", subtype: "list", data, next_cursor}`: the newest sessions that are not archived, and those further down ' +
      "that are running or require action; `next_cursor` leads to the rest. Then, m is " +
      '`{type: "sessions", subtype: "changed", data, removed}`: the sessions that are new or have changed, archived ones, too, and ' +
      'the ids of those that are gone. `{type: "keep_alive"}` says that the connection still works. The server takes no frames.',
  },
  "/v1/sessions/{id}/stream": {
    summary: "The stream of a session, as a WebSocket",
    description:
      "From the server, each frame is `{c, m}`: a cursor or null, and a " +
      "line of the stream. To the server, each frame is a prompt with a `uuid`, a `control_request`, a `control_response` or a " +
      "`control_cancel_request`.",
    after: "The last cursor that was read.",
  },
};

function streamOperation(
  path: string,
  { summary, description, after, ids }: DescribedStream,
  roles: Readonly<Record<DeviceRole, string>>,
): object {
  const parameters = [
    ...pathParameters(path, ids),
    ...(after === undefined
      ? []
      : [{ name: "after", in: "query", description: after, schema: { type: "string", maxLength: 100 } }]),
  ];
  return {
    summary,
    description: `Subprotocols: \`keelson.v1\` and, in browsers, \`bearer.TOKEN\`. ${description}`,
    security: [{ device: [] }],
    "x-role": roles.viewer,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: streamResponses(),
  };
}

function streamResponses(): object {
  const refusals = [400, 401, 403, 404, 421, 429].map((each) => [each, REFUSED]);
  return { 101: { description: "The stream begins" }, ...Object.fromEntries(refusals) };
}
