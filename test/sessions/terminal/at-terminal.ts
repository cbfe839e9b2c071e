// A terminal with the program in it, in a folder that is trusted and set up, in front of the scripted model.

import { startMockModel, temporaryHome, type MockModel, type ScriptStep, type TemporaryHome } from "@keelson/testkit";
import { startTerminal, type TestTerminal, type TestTerminalOptions } from "@keelson/testkit/terminal";
import type { JsonObject } from "@keelson/protocol";

export interface AtTerminal extends AsyncDisposable {
  readonly terminal: TestTerminal;
  readonly model: MockModel;
  readonly home: TemporaryHome;
}

export interface AtTerminalOptions extends TestTerminalOptions {
  /** More of ~/.claude.json. */
  readonly state?: object;
  /** The user's settings. */
  readonly settings?: object;
  /** Before the program starts. */
  prepare?(home: TemporaryHome): void;
}

/** What a start without questions needs in ~/.claude.json. */
export function writeState(home: TemporaryHome, more: object = {}): void {
  home.write("~/.claude.json", {
    hasCompletedOnboarding: true,
    theme: "dark",
    // The key of the harness.
    customApiKeyResponses: { approved: ["test-key"], rejected: [] },
    projects: { [home.project]: { hasTrustDialogAccepted: true } },
    ...more,
  });
}

/** Nothing runs. An answer may be on the screen a moment before its turn has ended. */
export const isIdle = (terminal: TestTerminal) => !terminal.screen().some((row) => row.includes("to interrupt"));

/** Waits for the prompt. */
export async function openAtTerminal(
  script: readonly ScriptStep<JsonObject>[],
  { state, settings, prepare, ...options }: AtTerminalOptions = {},
): Promise<AtTerminal> {
  const model = await startMockModel(script);
  const home = options.home ?? temporaryHome();
  writeState(home, state);
  if (settings) home.settings(settings);
  prepare?.(home);
  const terminal = startTerminal({ ...options, home, url: model.url });
  await terminal.until(/^[❯$]/m);
  return {
    terminal,
    model,
    home,
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await model.close();
      home.remove();
    },
  };
}
