import { expect, test } from "bun:test";
import { PROVIDERS } from "../../../model/src/choice/providers.ts";
import { inheritedEnvironment } from "./env.ts";

const KEYS = {
  OPENAI_API_KEY: "a",
  AWS_SECRET_ACCESS_KEY: "b",
  AWS_SESSION_TOKEN: "c",
  GOOGLE_APPLICATION_CREDENTIALS: "d",
  LOCAL_LLM_KEY: "e",
};

test("child processes inherit everything but our own credentials; with the switch, no provider's", () => {
  const env = { ...KEYS, ANTHROPIC_API_KEY: "x", PATH: "/bin", AWS_REGION: "r", MY_TOKEN: "t" };
  expect(inheritedEnvironment(env)).toEqual({ ...KEYS, PATH: "/bin", AWS_REGION: "r", MY_TOKEN: "t" });
  const scrubbed = { CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "1", PATH: "/bin", AWS_REGION: "r", MY_TOKEN: "t" };
  expect(inheritedEnvironment({ ...env, ...scrubbed }, ["LOCAL_LLM_KEY"])).toEqual(scrubbed);
});

test("the switch covers the keys of every provider", () => {
  const names = Object.values(PROVIDERS).flatMap(({ keys }) => keys);
  expect(names.length).toBeGreaterThan(15);
  const env = Object.fromEntries(names.map((name) => [name, "secret"]));
  expect(inheritedEnvironment({ ...env, CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "1" })).toEqual({
    CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "1",
  });
});
