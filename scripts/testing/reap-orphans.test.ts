import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testUnless } from "@keelson/testkit";
import { root } from "../root.ts";

testUnless(process.platform === "linux" ? null : "needs Linux", test)(
  "what files of tests leave behind is not listed any more in the files after them",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "keelson-orphans-"));
    const write = (name: string, source: string) => writeFileSync(join(folder, name), source);
    const preload = JSON.stringify(join(import.meta.dir, "reap-orphans.ts"));
    write("bunfig.toml", `[test]\npreload = [${preload}]\n`);
    const orphans = JSON.stringify(join(root, "packages/host/src/shell/process/orphans.ts"));
    const listed = `const listed = () => require("node:fs").readFileSync(\`/proc/self/task/\${process.pid}/children\`, "latin1");`;
    write(
      "a.test.ts",
      `import { test } from "bun:test"; test("a", async () => void (await (await import(${orphans})).adoptOrphans()));`,
    );
    // It waits until all three have ended, and are listed here.
    write(
      "b.test.ts",
      `import { test } from "bun:test"; ${listed}
       test("b", async () => {
         for (let n = 0; n < 3; n++) await Bun.spawn(["sh", "-c", "(setsid true &); exit 0"]).exited;
         while (Bun.spawnSync(["ps", "--ppid", String(process.pid), "-o", "stat="]).stdout.toString().match(/Z/g)?.length !== 3) await Bun.sleep(10);
         console.error("LISTED " + listed().trim().split(" ").length);
       });`,
    );
    write(
      "c.test.ts",
      `import { test } from "bun:test"; ${listed} test("c", () => console.error("LEFT", JSON.stringify(listed())));`,
    );
    const files = ["a", "b", "c"].map((name) => `./${name}.test.ts`);
    const run = Bun.spawn([process.execPath, "test", "--parallel=1", ...files], {
      cwd: folder,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const output = (await Promise.all([run.stdout.text(), run.stderr.text(), run.exited])).join("\n");
    rmSync(folder, { recursive: true });
    expect(output).toContain("LISTED 3");
    expect(output).toContain('LEFT ""');
  },
);
