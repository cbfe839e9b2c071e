// Where runs take place, and the secrets they may have: what they reach is for admins.

import { isList, isObject } from "@keelson/protocol";
import { HttpRefusal, type Route, type SignedInRequest } from "@keelson/web";
import type { RunEnvironment } from "../records/team.ts";
import { problemOfNames } from "../records/variable-names.ts";
import type { RunStore } from "../store/run-store.ts";
import { notFound, wrongField } from "./api-error.ts";
import { actorOf, recordAudit } from "./audit.ts";
import { PAGE_QUERY, PAGE_REPLY, pageWanted, replyWithPage } from "./pages.ts";
import { time } from "./shown.ts";

interface EnvironmentApi {
  readonly store: RunStore;
  seal(secret: string): Promise<string>;
}

export function environmentRoutes(api: EnvironmentApi): readonly Route[] {
  const { store } = api;
  const json = { type: "object", additionalProperties: true } as const;
  const ids = /^\w{1,128}$/;
  const writes = { access: "admin", ids, body: json, reply: json, errors: [404, 409] } as const;
  return [
    {
      method: "GET",
      path: "/v1/environments",
      access: "viewer",
      summary: "Where runs can take place",
      query: PAGE_QUERY,
      reply: PAGE_REPLY,
      run: ({ query }) => replyWithPage(() => store.environments.list({}, pageWanted(query)), shownEnvironment),
    },
    {
      ...writes,
      method: "POST",
      path: "/v1/environments",
      summary: "Make an environment",
      status: 201,
      async run(request: SignedInRequest) {
        const now = await store.now();
        const id = `env_${crypto.randomUUID().replaceAll("-", "")}`;
        const environment = { ...EMPTY, ...fieldsOf(request.body), id, version: 1, createdAt: now, updatedAt: now };
        if (environment.name === "") throw wrongField("name", "required");
        await store.environments.insert(environment);
        await recordAudit("environment.create", id, request, api);
        return { status: 201, json: shownEnvironment(environment) };
      },
    },
    {
      ...writes,
      method: "PATCH",
      path: "/v1/environments/{id}",
      summary: "Change the fields that are given",
      async run(request: SignedInRequest) {
        const id = request.params["id"]!;
        const before = await store.environments.get(id);
        if (before === undefined) throw notFound("environment");
        const change = { ...fieldsOf(request.body), version: before.version + 1, updatedAt: await store.now() };
        if (!(await store.environments.update(id, change, { version: before.version })))
          throw new HttpRefusal("conflict", "Somebody else changed the environment; read it again");
        await recordAudit("environment.update", id, request, api);
        return { json: shownEnvironment({ ...before, ...change }) };
      },
    },
    {
      method: "DELETE",
      path: "/v1/environments/{id}",
      access: "admin",
      summary: "Remove an environment",
      ids,
      reply: { type: "null" },
      status: 204,
      errors: [404],
      async run(request: SignedInRequest) {
        const id = request.params["id"]!;
        if ((await store.environments.remove(id)) === undefined) throw notFound("environment");
        await recordAudit("environment.remove", id, request, api);
        return {};
      },
    },
    {
      method: "GET",
      path: "/v1/secrets",
      access: "viewer",
      summary: "Names of secrets; their values are never shown",
      query: PAGE_QUERY,
      reply: PAGE_REPLY,
      run: ({ query }) =>
        replyWithPage(
          () => store.sealedSecrets.list({}, pageWanted(query)),
          ({ id, createdAt, updatedAt }) => ({ name: id, created_at: time(createdAt), updated_at: time(updatedAt) }),
        ),
    },
    {
      ...writes,
      method: "POST",
      path: "/v1/secrets",
      summary: "Keep a secret, or replace it: `{name, value}`",
      async run(request: SignedInRequest) {
        const { name, value } = request.body;
        if (typeof name !== "string" || !NAME.test(name)) throw wrongField("name", "must be a name of a variable");
        refuseReserved("name", [name]);
        if (typeof value !== "string" || value === "" || value.includes("\0"))
          throw wrongField("value", "must be a text");
        const [sealed, now] = [await api.seal(value), await store.now()];
        const row = { id: name, sealed, createdBy: actorOf(request.device), createdAt: now, updatedAt: now };
        if (!(await store.sealedSecrets.insert(row)))
          await store.sealedSecrets.update(name, { sealed, updatedAt: now });
        await recordAudit("secret.write", name, request, api);
        return { json: { name, updated_at: time(now) } };
      },
    },
    {
      method: "DELETE",
      path: "/v1/secrets/{id}",
      access: "admin",
      summary: "Remove a secret",
      ids,
      reply: { type: "null" },
      status: 204,
      errors: [404],
      async run(request: SignedInRequest) {
        const name = request.params["id"]!;
        if ((await store.sealedSecrets.remove(name)) === undefined) throw notFound("secret");
        await recordAudit("secret.remove", name, request, api);
        return {};
      },
    },
  ];
}

type Written = Pick<RunEnvironment, "name" | "setupScript" | "network" | "variables" | "secrets" | "extra">;

const EMPTY: Written = { name: "", setupScript: null, network: [], variables: {}, secrets: [], extra: {} };
const NAME = /^[A-Za-z_]\w{0,127}$/;
const MOST = 200;

function fieldsOf(body: Readonly<Record<string, unknown>>): Partial<Written> {
  const { name, setup_script: script, network, variables, secrets, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw wrongField(unknown, "not known here");
  if (name !== undefined && !(typeof name === "string" && name !== "" && name.length <= 200))
    throw wrongField("name", "must be a text of 1 to 200 characters");
  if (script !== undefined && script !== null && !(typeof script === "string" && script.length <= 100_000))
    throw wrongField("setup_script", "must be a text of at most 100000 characters");
  if (network !== undefined && !isTexts(network, /^(?:\*|(?:\*\.)?[\w.-]{1,253})$/))
    throw wrongField("network", `must be a list of at most ${MOST} hosts, such as *.example.org`);
  if (secrets !== undefined && !isTexts(secrets, NAME))
    throw wrongField("secrets", `must be a list of at most ${MOST} names of secrets`);
  if (variables !== undefined && !isVariables(variables))
    throw wrongField("variables", "must be an object with names of variables and texts");
  refuseReserved("secrets", secrets ?? []);
  refuseReserved("variables", Object.keys(variables ?? {}));
  return {
    ...(name === undefined ? {} : { name }),
    ...(script === undefined ? {} : { setupScript: script }),
    ...(network === undefined ? {} : { network }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(variables === undefined ? {} : { variables }),
  };
}

/** They would not reach the commands of a run. */
function refuseReserved(field: string, names: readonly string[]): void {
  const problem = problemOfNames(names);
  if (problem !== undefined) throw wrongField(field, problem);
}

const isTexts = (value: unknown, form: RegExp): value is readonly string[] =>
  isList(value) && value.length <= MOST && value.every((each) => typeof each === "string" && form.test(each));

const isVariables = (value: unknown): value is Readonly<Record<string, string>> =>
  isObject(value) &&
  Object.entries(value).every(
    ([name, text]) => NAME.test(name) && typeof text === "string" && text.length <= 10_000 && !text.includes("\0"),
  );

const shownEnvironment = (environment: RunEnvironment) => ({
  id: environment.id,
  name: environment.name,
  setup_script: environment.setupScript,
  network: environment.network,
  variables: environment.variables,
  secrets: environment.secrets,
  version: environment.version,
  created_at: time(environment.createdAt),
  updated_at: time(environment.updatedAt),
});
