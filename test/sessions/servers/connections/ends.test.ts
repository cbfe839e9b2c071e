// However a session ends, no server is left, and nothing that a server started. KEELSON_KILLS=50 for a long run.

import { expect, test } from "bun:test";
import { startKeelson, startMockModel, temporaryHome, type Running } from "@keelson/testkit";
import { CHAT, prompt } from "../../front-door.ts";
import { isRunning, until } from "../../processes.ts";
import { fakeServer, NO_WAIT, withServers, type FakeServer } from "../fake.ts";

const ROUNDS = Number(process.env["KEELSON_KILLS"] ?? 12);

const ENDS = {
  SIGTERM: (program: Running) => program.kill("SIGTERM"),
  SIGINT: (program: Running) => program.kill("SIGINT"),
  SIGKILL: (program: Running) => program.kill("SIGKILL"),
  "the end of stdin": (program: Running) => program.closeStdin(),
};
const MOMENTS = ["connecting", "idle", "in a call"] as const;

/** Every way at every moment, in turn. */
const rounds = Array.from({ length: ROUNDS }, (_, at) => ({
  how: Object.keys(ENDS)[at % 4] as keyof typeof ENDS,
  moment: MOMENTS[Math.floor(at / 4) % 3]!,
}));

test(`${ROUNDS} ends of sessions leave no server behind`, async () => {
  const left: string[] = [];
  for (const { how, moment } of rounds) {
    const pids = await endSession(how, moment);
    expect(pids.length).toBeGreaterThanOrEqual(4);
    await until(() => !pids.some(isRunning)).catch(() => left.push(`${how} while ${moment}`));
  }
  expect(left).toEqual([]);
});

/** The processes of two servers, one of which ignores signals, after the session has ended. */
async function endSession(how: keyof typeof ENDS, moment: (typeof MOMENTS)[number]): Promise<readonly number[]> {
  using home = temporaryHome();
  const isSlow = moment === "connecting";
  const servers: Record<string, FakeServer> = {
    srv: fakeServer(home, "srv", { tools: ["hang"], helper: true, isSlow }),
    stubborn: fakeServer(home, "stubborn", { helper: true, ignoresSignals: true, isSlow }),
  };
  await using model = await startMockModel(
    moment === "in a call"
      ? [{ calls: [{ name: "mcp__srv__hang", input: {} }] }, { text: "done" }]
      : [{ text: "done" }],
  );
  await using program = startKeelson(["-p", ...CHAT, ...withServers(servers), "--allowedTools", "mcp__srv"], {
    home,
    url: model.url,
    stdin: "open",
    // Ends its wait for a call that never returns.
    env: { MCP_TOOL_TIMEOUT: "3000", ...NO_WAIT },
  });
  program.send(prompt("go"));
  if (moment !== "in a call") await program.waitForLine(({ type }) => type === "result");
  await Promise.all(Object.values(servers).map((server) => server.started()));
  if (moment === "idle") await Promise.all(Object.values(servers).map((server) => server.got("tools/list")));
  if (moment === "in a call") await servers["srv"]!.got("tools/call");
  const pids = Object.values(servers).flatMap((server) => server.pids);
  ENDS[how](program);
  await program.done.catch(() => undefined);
  return pids;
}
