// Agents that the model waits for: what they get, what comes back, and what clients and files show.

import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { chainProblems, readTranscript, runKeelson, startMockModel, temporaryHome } from "@keelson/testkit";

const STREAM = ["--output-format", "stream-json", "--verbose"];

test("an agent works on its own and only its answer comes back", async () => {
  using home = temporaryHome({ files: { "a.txt": "alpha\n" } });
  await using model = await startMockModel((body: any) => {
    const first = JSON.stringify(body.messages[0]);
    if (!first.includes("Look at a.txt")) {
      return body.messages.length === 1
        ? {
            calls: [
              {
                name: "Agent",
                input: { description: "Look around", prompt: "Look at a.txt", subagent_type: "general-purpose" },
              },
            ],
          }
        : { text: "All done" };
    }
    return body.messages.length === 1
      ? { calls: [{ name: "Read", input: { file_path: join(home.project, "a.txt") } }] }
      : { text: "It says alpha" };
  });
  const { code, messages, stderr } = await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  console.log(JSON.stringify(messages, null, 1));
  console.log(
    JSON.stringify(
      model.requests.map((r: any) => ({
        headers: r.headers,
        tools: r.body.tools.map((t: any) => t.name),
        system: r.body.system,
        messages: r.body.messages,
      })),
      null,
      1,
    ),
  );
  const dir = join(home.config, "projects");
  console.log(readdirSync(dir, { recursive: true }));
});
