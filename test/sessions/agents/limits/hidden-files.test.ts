// Files that a rule hides from the commands of a child: its parent's rules in its own copy, and those of its definition.

import { expect, test } from "bun:test";
import { runKeelson, startMockModel, temporaryHome, testUnless } from "@keelson/testkit";
import { commitAll } from "../../../conformance/kinds.ts";
import { STREAM } from "../../front-door.ts";
import { confinementMissing } from "../../needs-bubblewrap.ts";
import { addAgent, trust } from "../agent-home.ts";
import { agent, cast, requestsOf } from "../cast.ts";

const TASK = "Only the child does this";
const ROLES = ["main", TASK];
/** A program whose text does not say what it reads. */
const READER = `import { readFileSync } from "node:fs";\nconsole.log(readFileSync("secr" + "et.txt", "utf8"), "read");\n`;

testUnless(confinementMissing(), test).each([
  ["a rule of the session, in a worktree", { isolation: "worktree" }, ["Read(./secret.txt)"]],
  ["a rule for a path of the project, in a worktree", { isolation: "worktree" }, ["Read(//<project>/secret.txt)"]],
  ["a rule of its own definition", { subagent_type: "careful" }, []],
] as const)("%s", async (_, input, deny) => {
  using home = temporaryHome({ git: true });
  trust(home);
  addAgent(home, "careful", { head: "disallowedTools: Read(./secret.txt)\n" });
  home.write("secret.txt", "the secret");
  home.write("reader.mjs", READER);
  commitAll(home);
  const rules = deny.map((rule) => rule.replace("/<project>", home.project));
  home.settings({ permissions: { allow: ["Bash(node *)"], deny: rules } });
  await using model = await startMockModel(
    cast({
      main: [{ calls: [agent(TASK, input)] }, { text: "Done" }],
      [TASK]: [{ calls: [{ name: "Bash", input: { command: "node reader.mjs" } }] }, { text: "ok" }],
    }),
  );
  await runKeelson(["-p", "Go", ...STREAM], { home, url: model.url });
  const [, second] = requestsOf(model.requests, TASK, ROLES);
  const said = JSON.stringify(second.messages.at(-1).content);
  expect(said).not.toContain("the secret");
  // Otherwise nothing was tried.
  expect(said).toMatch(/ENXIO|EACCES/);
});
