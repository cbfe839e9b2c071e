// The models that an account can ask in a region: foundation models and inference profiles.

import { isObject } from "@keelson/protocol";
import { ModelError } from "@keelson/engine";
import type { ListedModel, ListOptions } from "../dialect.ts";
import { readJson } from "../messages/reply/read-reply.ts";
import { callServer, type Server } from "../http/server.ts";
import { bedrockError } from "./errors.ts";

const MAX_PAGES = 20;

export async function listBedrock(server: Server, options: ListOptions): Promise<readonly ListedModel[]> {
  const control = { ...server, baseUrl: controlUrl(server.baseUrl) };
  // An account may be allowed to see only one of the two.
  const [models, profiles] = await Promise.allSettled([
    pages(control, "/foundation-models", { byOutputModality: "TEXT" }, "modelSummaries", options),
    pages(control, "/inference-profiles", { maxResults: "1000" }, "inferenceProfileSummaries", options),
  ]);
  if (models.status === "rejected" && profiles.status === "rejected") throw models.reason;
  const summaries = models.status === "fulfilled" ? models.value : [];
  const found = profiles.status === "fulfilled" ? profiles.value : [];
  const images = new Map(
    summaries.map((one) => [String(one["modelId"]), list(one["inputModalities"]).includes("IMAGE")]),
  );
  return [...summaries.flatMap(foundationModel), ...found.flatMap((one) => inferenceProfile(one, images))];
}

/** Models are listed by another host than they are asked at; an address of one's own does both. */
function controlUrl(baseUrl: string): string {
  return baseUrl.replace(/^(https:\/\/bedrock)-runtime((?:-fips)?\.[^/]*\.amazonaws\.com)/, "$1$2");
}

function foundationModel(summary: Readonly<Record<string, unknown>>): readonly ListedModel[] {
  const { modelId: id, responseStreamingSupported: streams } = summary;
  const status = isObject(summary["modelLifecycle"]) ? summary["modelLifecycle"]["status"] : undefined;
  const isOffered = list(summary["inferenceTypesSupported"]).includes("ON_DEMAND");
  if (typeof id !== "string" || !isOffered || streams === false || status === "LEGACY") return [];
  return [{ id, images: list(summary["inputModalities"]).includes("IMAGE") }];
}

function inferenceProfile(
  summary: Readonly<Record<string, unknown>>,
  images: ReadonlyMap<string, boolean>,
): readonly ListedModel[] {
  const { type, status } = summary;
  const id = summary[type === "APPLICATION" ? "inferenceProfileArn" : "inferenceProfileId"];
  if (typeof id !== "string" || (status !== undefined && status !== "ACTIVE")) return [];
  const arns = list(summary["models"]).map((model) => (isObject(model) ? String(model["modelArn"]) : ""));
  const sees = images.get(arns[0]?.replace(/^.*\//, "") ?? "");
  return [{ id, ...(sees === undefined ? {} : { images: sees }) }];
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as readonly unknown[]) : []);

async function pages(
  server: Server,
  path: string,
  query: Readonly<Record<string, string>>,
  field: string,
  { signal, timeoutMs }: ListOptions,
): Promise<readonly Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  let token: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const request = {
      path,
      query: { ...query, ...(token === undefined ? {} : { nextToken: token }) },
      timeoutMs,
      errorOf: bedrockError,
    };
    const answer = await readJson(await callServer(server, request, signal));
    if (!isObject(answer) || !Array.isArray(answer[field]))
      throw new ModelError("unknown", `${server.baseUrl} does not behave like Bedrock; check ${server.addressFrom}`);
    found.push(...answer[field].filter(isObject));
    const next = answer["nextToken"];
    if (typeof next !== "string" || next === "") break;
    token = next;
  }
  return found;
}
