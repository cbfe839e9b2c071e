import { expect, test } from "bun:test";
import { temporaryHome, testUnless } from "@keelson/testkit";
import { startTerminal, type TestTerminal } from "@keelson/testkit/terminal";
import { screenFixture } from "../terminal/fixture.test-support.ts";

const tmux = Bun.which("tmux");

testUnless(tmux === null ? "tmux is not installed" : null, test)(
  "in tmux, each finished row is there once after any resize, above one prompt",
  async () => {
    using home = temporaryHome();
    const socket = `keelson-test-${process.pid}`;
    const run = (...args: string[]) =>
      Bun.spawnSync([tmux!, "-L", socket, ...args], { env: home.env }).stdout.toString();
    // A server of its own, which ends with its only session. It answers no questions of the outer terminal.
    const command = [tmux!, "-L", socket, "-f", "/dev/null", "new-session", "--", ...screenFixture(home)];
    await using terminal = startTerminal({ home, command, columns: 100, rows: 30 });
    try {
      await terminal.until("ready 100");
      let added = 0;
      for (const [columns, rows] of [
        [60, 20],
        [120, 40],
        [41, 15],
        [90, 24],
        [100, 30],
      ] as const) {
        terminal.type("aaa");
        added += 9;
        await terminal.until(`row ${added} `);
        terminal.resize(columns, rows);
        await terminal.until(`ready ${columns}`);
        await settled(terminal);
      }
      const history = run("capture-pane", "-p", "-J", "-S", "-").split("\n");
      const numbers = history.flatMap((row) => /^row (\d+) /.exec(row)?.[1] ?? []);
      expect(numbers).toEqual(Array.from({ length: 45 }, (_, at) => `${at + 1}`));
      expect(history.filter((row) => row.startsWith(">"))).toHaveLength(1);
    } finally {
      run("kill-server");
    }
  },
);

testUnless(tmux === null ? "tmux is not installed" : null, test)(
  "in tmux, a live area as high as the window is drawn anew without a copy of it in the history",
  async () => {
    using home = temporaryHome();
    const socket = `keelson-test-high-${process.pid}`;
    const run = (...args: string[]) =>
      Bun.spawnSync([tmux!, "-L", socket, ...args], { env: home.env }).stdout.toString();
    const command = [tmux!, "-L", socket, "-f", "/dev/null", "new-session", "--", ...screenFixture(home)];
    // The last row of the window is tmux's own.
    await using terminal = startTerminal({ home, command, columns: 60, rows: 6 });
    try {
      await terminal.until("ready 60");
      for (const columns of [70, 80, 90]) {
        terminal.resize(columns, 6);
        await terminal.until(`ready ${columns}`);
        await settled(terminal);
      }
      const history = run("capture-pane", "-p", "-J", "-S", "-").split("\n");
      expect(history.filter((row) => row.startsWith("ready"))).toEqual(["ready 90"]);
    } finally {
      run("kill-server");
    }
  },
);

/** tmux draws the pane again after a resize, and the program once more after that. */
async function settled(terminal: TestTerminal): Promise<void> {
  terminal.type("k");
  await terminal.until(({ screen }) => screen().some((row) => /^> k+$/.test(row)));
}
