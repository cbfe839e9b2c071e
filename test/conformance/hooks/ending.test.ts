// No hook outlives its session, however either of them ends or tries not to.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startKeelson, startMockModel, temporaryHome, type Running, type TemporaryHome } from "@keelson/testkit";
import { STREAM } from "../../sessions/front-door.ts";
import { inTurn } from "./drive.ts";
import { gone } from "../../sessions/processes.ts";
import { furnish } from "./furnish.ts";
import { DONE, script, TOUCH, type Hooks } from "./row.ts";

const LIMIT = 60_000;
const turn = inTurn(3);
/** Writes its number down where the test looks for it. */
const ID = 'echo $$ >> "$TOLD.pids"';

/** A hook at work, and whether the session waits for it. */
const HOOKS: Readonly<Record<string, { readonly hooks: Hooks; readonly waits: boolean }>> = {
  "one the session waits for": { hooks: { PreToolUse: [script(`${ID}; sleep 300`)] }, waits: true },
  "one that does not end when asked": {
    hooks: { PreToolUse: [script(`trap '' TERM INT HUP; ${ID}; while :; do sleep 1; done`)] },
    waits: true,
  },
  "one in the background": { hooks: { PreToolUse: [script(`${ID}; sleep 300`, { async: true })] }, waits: false },
  "one that said it goes on": {
    hooks: { PreToolUse: [script(`${ID}; echo '{"async":true}'; sleep 300`)] },
    waits: false,
  },
  "what one left behind in a session of its own": {
    hooks: { PreToolUse: [script(`setsid sh -c '${ID}; exec sleep 300' >/dev/null 2>&1 &\nexit 0`)] },
    waits: false,
  },
};

/** How the session ends. */
const ENDS: Readonly<Record<string, (program: Running) => void>> = {
  SIGTERM: (program) => program.kill("SIGTERM"),
  "kill -9": (program) => program.kill("SIGKILL"),
};

async function started(hooks: Hooks, act: (program: Running, home: TemporaryHome) => Promise<void>): Promise<void> {
  using home = temporaryHome();
  furnish(home, { hooks });
  await using model = await startMockModel([{ calls: [TOUCH] }, { ...DONE, waitMs: 300 }]);
  const env = { TOLD: join(home.root, "told") };
  await using program = startKeelson(["-p", "go", ...STREAM], { home, url: model.url, env, timeoutMs: LIMIT - 10_000 });
  await act(program, home);
}

for (const [what, { hooks, waits }] of Object.entries(HOOKS)) {
  for (const [how, end] of Object.entries(ENDS)) {
    test.concurrent(
      `${how}: ${what} ends too`,
      () =>
        turn(() =>
          started(hooks, async (program, home) => {
            const pid = await pidOf(home);
            end(program);
            await program.done;
            await gone(pid);
          }),
        ),
      LIMIT,
    );
  }
  if (waits) continue;
  test.concurrent(
    `an ordinary end: ${what} ends too`,
    () =>
      turn(() =>
        started(hooks, async (program, home) => {
          const pid = await pidOf(home);
          expect((await program.done).code).toBe(0);
          await gone(pid);
        }),
      ),
    LIMIT,
  );
}

test.concurrent(
  "SIGTERM: SessionEnd hooks are told, and a hook that hangs does not hold up the end",
  () =>
    turn(() =>
      started(
        { PreToolUse: [script(`${ID}; sleep 300`)], SessionEnd: [script("touch told-the-end; sleep 300")] },
        async (program, home) => {
          const pid = await pidOf(home);
          program.kill("SIGTERM");
          const { code } = await program.done;
          expect({
            code,
            told: existsSync(join(home.project, "told-the-end")),
            ran: existsSync(join(home.project, "ran")),
          }).toEqual({
            code: 143,
            told: true,
            ran: false,
          });
          await gone(pid);
        },
      ),
    ),
  LIMIT,
);

async function pidOf(home: TemporaryHome): Promise<number> {
  const path = join(home.root, "told.pids");
  for (;;) {
    const text = existsSync(path) ? readFileSync(path, "utf8") : "";
    if (text.endsWith("\n")) return Number(text);
    await Bun.sleep(10);
  }
}
