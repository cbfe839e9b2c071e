import { expect, test } from "bun:test";
import { inheritedEnvironment } from "./env.ts";

const KEYS = {
  OPENAI_API_KEY: "a",
  AWS_SECRET_ACCESS_KEY: "b",
  AWS_SESSION_TOKEN: "c",
  GOOGLE_APPLICATION_CREDENTIALS: "d",
  LOCAL_LLM_KEY: "e",
  TAVILY_API_KEY: "f",
};

test("child processes inherit everything but our own credentials; with the switch, no provider's", () => {
  const env = { ...KEYS, ANTHROPIC_API_KEY: "x", PATH: "/bin", AWS_REGION: "r", MY_TOKEN: "t" };
  expect(inheritedEnvironment(env)).toEqual({ ...KEYS, PATH: "/bin", AWS_REGION: "r", MY_TOKEN: "t" });
  const scrubbed = { CLAUDE_CODE_SUBPROCESS_ENV_SCRUB: "1", PATH: "/bin", AWS_REGION: "r", MY_TOKEN: "t" };
  expect(inheritedEnvironment({ ...env, ...scrubbed }, ["LOCAL_LLM_KEY"])).toEqual(scrubbed);
});
