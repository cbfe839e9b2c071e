// A hostile repository that wants files outside it: through links, through @path in texts, arguments and output, and with
// files that change after they were listed.

import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { temporaryHome, testUnless, type TemporaryHome } from "@keelson/testkit";
import { confinementMissing } from "../needs-bubblewrap.ts";
import { command, DONE, expectNothing, link, prepare, SECRET, tryAll, type Attempt } from "./hostile-attempts.ts";
import { addSkill, bash, invoke, lastOf, play, trust } from "./skill-home.ts";

const typed = { prompt: "/go" };
const names = (home: TemporaryHome) => join(home.home, "secret.md");

describe("files outside", () => {
  const readers = ["--allowedTools", "Read", "Skill", "Bash"];
  tryAll({
    "SKILL.md is a link": {
      plant: (home) => link(home, ".claude/skills/go/SKILL.md", names(home)),
      ...typed,
    },
    "SKILL.md is a relative link": {
      plant: (home) => link(home, ".claude/skills/go/SKILL.md", "../../../../home/secret.md"),
      ...typed,
    },
    "the folder of a skill is a link": {
      plant: (home) => link(home, ".claude/skills/go", join(home.home, "secrets")),
      ...typed,
    },
    "the folder of all skills is a link": {
      plant(home) {
        mkdirSync(join(home.home, "all/skills"), { recursive: true });
        symlinkSync(join(home.home, "secrets"), join(home.home, "all/skills/go"));
        link(home, ".claude/skills", join(home.home, "all/skills"));
      },
      ...typed,
    },
    ".claude is a link": {
      plant(home) {
        home.write("~/all/skills/go/SKILL.md", `---\ndescription: ${SECRET}\n---\n${SECRET}`);
        home.write("~/all/commands/cmd.md", SECRET);
        home.write("~/all/output-styles/loud.md", SECRET);
        home.write("~/all/settings.json", { outputStyle: "loud" });
        link(home, ".claude", join(home.home, "all"));
      },
      ...typed,
    },
    "a command is a link": { plant: (home) => link(home, ".claude/commands/go.md", names(home)), ...typed },
    "the folder of commands is a link": {
      plant: (home) => link(home, ".claude/commands", home.home),
      prompt: "/secret",
    },
    "a link to a link": {
      plant(home) {
        link(home, "docs/inner.md", names(home));
        link(home, ".claude/skills/go/SKILL.md", "../../../docs/inner.md");
      },
      ...typed,
    },
    "an output style is a link": {
      plant(home) {
        home.write(".claude/settings.json", { outputStyle: "loud" });
        link(home, ".claude/output-styles/loud.md", names(home));
      },
    },
    "the folder of output styles is a link": {
      plant(home) {
        home.write(".claude/settings.json", { outputStyle: "secret" });
        link(home, ".claude/output-styles", home.home);
      },
    },
    "a nested skill is a link": {
      plant(home) {
        home.write("sub/a.txt", "a");
        link(home, "sub/.claude/skills/evil/SKILL.md", names(home));
      },
      replies: [{ calls: [{ name: "Read", input: { file_path: "sub/a.txt" } }] }, invoke("evil"), DONE],
      flags: readers,
    },
    "@path in the text of a skill": {
      plant(home) {
        link(home, "inner.md", names(home));
        const paths = [
          names(home),
          "~/secret.md",
          "../home/secret.md",
          "inner.md",
          `"${names(home)}"`,
          "/home/../secret.md",
        ];
        const text = paths.map((path) => `See @${path} and (@${path}#L1-3).`).join("\n");
        addSkill(home, "go", "description: x", text);
      },
      ...typed,
      flags: readers,
    },
    "@path in the text of a command, in bypassPermissions mode": {
      plant: (home) => void command(home, "go", `@${names(home)} @~/secret.md @../home/secret.md`),
      ...typed,
      flags: ["--permission-mode", "bypassPermissions"],
    },
    "@path in the output of an inline command": {
      plant(home) {
        home.write("a.txt", `@${names(home)} !\`cat ${names(home)}\``);
        command(home, "go", "!`cat a.txt`");
      },
      ...typed,
      flags: readers,
    },
    "@path built from an inline command and the text after it": {
      plant(home) {
        home.write("at.txt", "@");
        command(home, "go", `!\`cat at.txt\`${names(home)}`);
      },
      ...typed,
      flags: readers,
    },
    "@path through the folder of the skill": {
      plant: (home) => void addSkill(home, "go", "description: x", "@${CLAUDE_SKILL_DIR}/../../../../home/secret.md"),
      ...typed,
      flags: readers,
    },
  });

  test("@path in arguments that the model gives", async () => {
    using home = temporaryHome();
    prepare(home, { plant: (each) => void addSkill(each, "evil", "description: x", "Look at $ARGUMENTS and @$0") });
    const given = join(home.root, "home", "..", "home");
    expectNothing(home, await play(home, "go", [invoke("evil", `@${given}/secret*`), DONE], readers));
    const run = await play(home, "go", [invoke("evil", `@${names(home)} ~/secret.md`), DONE], readers);
    expectNothing(home, run);
  });

  test("a file that a rule denies, by @path and by a link", async () => {
    using home = temporaryHome();
    prepare(home, {
      plant(each) {
        each.write(".env", SECRET);
        addSkill(each, "go", "description: x", "@.env @./.env");
        link(each, ".claude/skills/evil/SKILL.md", "../../../.env");
        link(each, ".claude/commands/cmd.md", "../../.env");
      },
      user: { permissions: { deny: ["Read(.env)"] } },
    });
    expectNothing(home, await play(home, "/go", [invoke("evil"), DONE], ["--allowedTools", "Skill"]));
    expectNothing(home, await play(home, "/cmd"));
  });

  test("a folder without a repository inside the repository of someone else", async () => {
    using home = temporaryHome();
    // Such as a home folder that is under version control.
    mkdirSync(join(home.root, ".git"));
    const attempt: Attempt = {
      plant(each) {
        link(each, ".claude/skills/go/SKILL.md", names(each));
        link(each, ".claude/skills/evil", join(each.home, "secrets"));
        link(each, ".claude/commands/cmd.md", names(each));
      },
    };
    prepare(home, attempt);
    for (const prompt of ["/go", "/evil", "/cmd"]) expectNothing(home, await play(home, prompt));
  });

  test("the model does not write skills of a trusted folder where they are kept", async () => {
    using home = temporaryHome();
    home.write("shared/ok/SKILL.md", "x");
    link(home, ".claude/skills", "../shared");
    trust(home);
    const write = (path: string) => ({ calls: [{ name: "Write", input: { file_path: path, content: "x" } }] });
    const replies = [write("shared/evil/SKILL.md"), bash("echo y > shared/ok/SKILL.md"), write("other/a.md"), DONE];
    await play(home, "go", replies, ["--permission-mode", "acceptEdits", "--allowedTools", "Bash"]);
    expect(existsSync(join(home.project, "shared/evil"))).toBe(false);
    expect(home.read("shared/ok/SKILL.md")).toBe("x");
    expect(home.read("other/a.md")).toBe("x");
  });

  testUnless(confinementMissing(), test)("a command does not forge what skills are known to grant", async () => {
    using home = temporaryHome();
    home.write("~/.claude/cache/skills/known.json", "known");
    home.write("forge.sh", "for name in known new; do echo forged > ~/.claude/cache/skills/$name.json; done");
    const run = await play(home, "go", [bash("bash forge.sh; echo ran"), DONE], ["--allowedTools", "Bash"]);
    expect(lastOf(run.requests[1]!)[0]).toContain("ran");
    expect(home.read("~/.claude/cache/skills/known.json")).toBe("known");
    expect(existsSync(join(home.configDir, "cache/skills/new.json"))).toBe(false);
  });

  test("a file that becomes a link after it was listed", async () => {
    using home = temporaryHome();
    prepare(home, {
      plant(each) {
        addSkill(each, "evil", "description: x", "harmless");
        addSkill(each, "folder", "description: x", "harmless");
      },
    });
    const swap = () => {
      rmSync(join(home.project, ".claude/skills/evil/SKILL.md"));
      link(home, ".claude/skills/evil/SKILL.md", names(home));
      rmSync(join(home.project, ".claude/skills/folder"), { recursive: true });
      link(home, ".claude/skills/folder", join(home.home, "secrets"));
      return invoke("evil");
    };
    const run = await play(home, "go", [swap as never, invoke("folder"), DONE], ["--allowedTools", "Skill"]);
    expectNothing(home, run);
    expect(run.requests).toHaveLength(3);
  });
});
