import { expect, test } from "bun:test";
import { regionVariables, vertexPlace } from "./place.ts";

const base = { ANTHROPIC_VERTEX_PROJECT_ID: "p", CLOUD_ML_REGION: "us-east5" };

test.each([
  ["us-east5", "https://us-east5-aiplatform.googleapis.com/v1"],
  ["global", "https://aiplatform.googleapis.com/v1"],
  ["us", "https://aiplatform.us.rep.googleapis.com/v1"],
  ["eu", "https://aiplatform.eu.rep.googleapis.com/v1"],
])("the region %s is at %s", (region, baseUrl) => {
  expect(vertexPlace({ ...base, CLOUD_ML_REGION: region }, "claude-opus-5-5")).toEqual({
    baseUrl,
    addressFrom: "CLOUD_ML_REGION",
    region,
    project: "p",
  });
});

test.each([
  ["claude-sonnet-4-5@20250929", "VERTEX_REGION_CLAUDE_4_5_SONNET"],
  ["claude-sonnet-4-5[1m]", "VERTEX_REGION_CLAUDE_4_5_SONNET"],
  ["claude-haiku-4-5@20251001", "VERTEX_REGION_CLAUDE_HAIKU_4_5"],
  ["claude-opus-4@20250514", "VERTEX_REGION_CLAUDE_4_0_OPUS"],
  ["claude-opus-4-1@20250805", "VERTEX_REGION_CLAUDE_4_1_OPUS"],
  ["claude-3-5-haiku@20241022", "VERTEX_REGION_CLAUDE_3_5_HAIKU"],
  ["claude-3-7-sonnet@20250219", "VERTEX_REGION_CLAUDE_3_7_SONNET"],
  ["claude-opus-5-5", "VERTEX_REGION_CLAUDE_5_5_OPUS"],
])("the region of %s can be set with %s", (model, variable) => {
  expect(regionVariables(model)).toContain(variable);
  expect(vertexPlace({ ...base, [variable]: "europe-west1" }, model).region).toBe("europe-west1");
  expect(vertexPlace({ ...base, [variable]: "europe-west1" }, "claude-other-9").region).toBe("us-east5");
});

test("Google's names of the variables are known too, and regions have defaults", () => {
  const google = { GOOGLE_CLOUD_PROJECT: "g", GOOGLE_CLOUD_LOCATION: "asia-east1" };
  expect(vertexPlace(google, "gemini-3-pro-preview")).toMatchObject({ project: "g", region: "asia-east1" });
  expect(vertexPlace({}, "claude-opus-5-5").region).toBe("us-east5");
  expect(vertexPlace({}, "gemini-3-pro-preview").region).toBe("global");
});

test("an address of one's own is used for both kinds of models, each with its own variable first", () => {
  const claude = { ANTHROPIC_VERTEX_BASE_URL: "https://gate/claude/v1/" };
  const google = { GOOGLE_VERTEX_BASE_URL: "https://gate/google" };
  const at = (env: object, model: string) => vertexPlace({ ...base, ...env }, model).baseUrl;
  expect(at({ ...claude, ...google }, "claude-opus-5-5")).toBe("https://gate/claude/v1");
  expect(at({ ...claude, ...google }, "gemini-3-pro")).toBe("https://gate/google/v1");
  expect(at(claude, "gemini-3-pro")).toBe("https://gate/claude/v1");
  expect(at(google, "claude-opus-5-5")).toBe("https://gate/google/v1");
});

test("a region that is none does not become part of an address", () => {
  expect(() => vertexPlace({ CLOUD_ML_REGION: "evil.example/" }, "claude-opus-5-5")).toThrow(
    '"evil.example/" is not a Google Cloud region; check CLOUD_ML_REGION',
  );
});
