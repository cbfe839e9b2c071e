import { expect, test } from "bun:test";
import { hookEnvironment } from "./environment.ts";

const base = {
  childEnv: {
    PATH: "/bin",
    BUN_OPTIONS: "--preload x",
    BUN_INSTALL: "/b",
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=x",
    CLAUDE_ENV_FILE: "/home/me/env.sh",
    CLAUDE_EFFORT: "low",
    CLAUDE_PLUGIN_ROOT: "/outer",
    CLAUDE_CODE_SESSION_ID: "outer",
  },
  sessionId: "inner",
  entrypoint: "sdk-cli",
  projectDir: "/p",
};
const always = {
  PATH: "/bin",
  BUN_INSTALL: "/b",
  CLAUDECODE: "1",
  CLAUDE_CODE_ENTRYPOINT: "sdk-cli",
  CLAUDE_CODE_SESSION_ID: "inner",
  CLAUDE_CODE_CHILD_SESSION: "1",
  AI_AGENT: "keelson",
  CLAUDE_PROJECT_DIR: "/p",
  CLAUDE_SESSION_ID: "inner",
};

test("a hook gets its project and session, and nothing from an outer session", () => {
  expect(hookEnvironment(base)).toEqual(always);
});

test("effort, env file and plugin variables are set if there are any", () => {
  expect(
    hookEnvironment({
      ...base,
      effort: "high",
      envFile: "/e.sh",
      root: "/plugin",
      data: "/data",
      pluginOptions: { "api-url": "http://127.0.0.1" },
    }),
  ).toEqual({
    ...always,
    CLAUDE_EFFORT: "high",
    CLAUDE_ENV_FILE: "/e.sh",
    CLAUDE_PLUGIN_ROOT: "/plugin",
    CLAUDE_PLUGIN_PATH: "/plugin",
    CLAUDE_PLUGIN_DATA: "/data",
    CLAUDE_PLUGIN_OPTION_API_URL: "http://127.0.0.1",
  });
});
