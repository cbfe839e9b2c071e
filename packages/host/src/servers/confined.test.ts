import { expect } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { shielded, world } from "../sandbox/shield/shield.test-support.ts";
import { createServerPrograms } from "./programs.ts";

shielded("a confined server sees and changes what a command may, speaks, and ends", async () => {
  await using w = world({ deny: ["secret.txt"] });
  w.write("secret.txt", "hidden\n");
  w.write("plain.txt", "plain\n");
  w.write(".mcp.json", "{}\n");
  const programs = createServerPrograms({ confine: (program) => w.shell.confine(program) });
  const server = await programs.start({
    command: "/bin/sh",
    args: [
      "-c",
      "read -r word; echo $word; cat plain.txt; cat secret.txt; echo x >> .mcp.json; echo new > made.txt; exec sleep 60",
    ],
    cwd: w.project,
    env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    confined: true,
  });
  await server.write("hello\n");
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of server.output) if ((text += decoder.decode(chunk)).includes("plain\n")) break;
  while (!existsSync(join(w.project, "made.txt"))) await Bun.sleep(5);
  expect(text).toBe("hello\nplain\n");
  expect(w.read(".mcp.json")).toBe("{}\n");
  await programs.close();
  expect(await server.exited).toMatch(/^The program (?:was ended by SIGTERM|exited with code 143)$/);
});
