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

shielded("the variables of a confined server reach its program, and not what sets up the sandbox", async () => {
  await using w = world({});
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin" };
  const entryEnv = {
    LD_PRELOAD: join(w.project, "no-such-library.so"),
    "BASH_FUNC_exec%%": "() { echo taken; }",
    UID: "0",
    WORD: `it's "$HOME" \`id\``,
  };
  const programs = createServerPrograms({ confine: (program) => w.shell.confine(program) });
  const args = ["-c", 'echo "$WORD|$LD_PRELOAD"; env | grep -c CARRIED; exec sleep 60'];
  const server = await programs.start({ command: "/bin/sh", args, cwd: w.project, env, entryEnv, confined: true });
  const outside = await Bun.file(`/proc/${server.pid}/environ`).text();
  expect(outside.split("\0").filter((each) => /^(LD_|BASH_FUNC|UID=)/.test(each))).toEqual([]);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of server.output) if ((text += decoder.decode(chunk)).split("\n").length > 2) break;
  expect(text).toBe(`${entryEnv.WORD}|${entryEnv.LD_PRELOAD}\n0\n`);
  await programs.close();
});
