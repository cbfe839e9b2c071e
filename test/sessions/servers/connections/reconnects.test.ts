// A thousand connections to servers of every kind, one after the other, leave nothing behind: neither memory, nor
// programs, nor sockets.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { startKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { CHAT, control, prompt } from "../../front-door.ts";
import { until } from "../../processes.ts";
import { withServers } from "../fake.ts";
import { startOfficial } from "../official.ts";

const ROUNDS = 250;
/** A leak of this size per connection would be far more over the second half. */
const MAX_GROWTH_MB = 25;

/** A server in shell, because a thousand starts of anything larger would take minutes. */
const SHELL_SERVER = `
while IFS= read -r line; do
  id=\${line##*'"id":'}; id=\${id%%\\}*}
  case $line in
    *'"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}';;
    *'"tools/list"'*) result='{"tools":[{"name":"a","inputSchema":{"type":"object"}}]}';;
    *) continue;;
  esac
  echo '{"jsonrpc":"2.0","id":'$id',"result":'$result'}'
done`;

testUnless(process.platform === "linux" ? null : "reads /proc", test)(
  "a thousand reconnects leave no memory, no program and no open socket behind",
  async () => {
    using home = temporaryHome();
    await using http = await startOfficial.http();
    await using sse = await startOfficial.sse();
    await using ws = await startOfficial.ws();
    const entries = {
      http: http.entry,
      sse: sse.entry,
      ws: ws.entry,
      stdio: { command: "/bin/bash", args: ["-c", SHELL_SERVER] },
    };
    await using model = await startMockModel(() => ({ text: "done" }));
    const loaded = Object.entries(entries).map(([name, entry]) => [name, { ...entry, alwaysLoad: true }]);
    const flags = withServers(Object.fromEntries(loaded));
    await using program = startKeelson(["-p", ...CHAT, ...flags], { home, url: model.url, stdin: "open" });
    program.send(prompt("one"));
    await program.waitForLine(({ type }) => type === "result");

    const { pid } = program;
    const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024;
    const open = () => readdirSync(`/proc/${pid}/fd`).length;
    const children = () => readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").length;
    const samples: number[] = [];
    const before = { open: open(), children: children() };
    for (let round = 1; round <= ROUNDS; round++) {
      const ids = Object.keys(entries).map((serverName) => {
        const id = `${serverName}-${round}`;
        program.send(control(id, { subtype: "mcp_reconnect", serverName }));
        return id;
      });
      for (const id of ids) {
        const { json } = await program.waitForLine(({ response }) => response?.request_id === id);
        expect(json.response.subtype).toBe("success");
      }
      samples.push(memory());
    }
    // The lowest of each quarter: the collector decides when memory is given back.
    const lowest = (from: number, to: number) => Math.min(...samples.slice(ROUNDS * from, ROUNDS * to));
    expect(lowest(0.75, 1) - lowest(0.25, 0.5)).toBeLessThan(MAX_GROWTH_MB);
    await until(() => children() <= before.children, "programs are left");
    await until(() => open() <= before.open + 8, `${open()} open files, ${before.open} at first`);
    program.closeStdin();
    await program.done;
  },
);
