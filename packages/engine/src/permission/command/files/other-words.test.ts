import { expect, test } from "bun:test";
import { judgeCommand, type TableSetup } from "../../verdicts/judge.test-support.ts";

// Commands are text to be judged. None of them is ever run.
const GENERATED: TableSetup = {
  mode: "bypassPermissions",
  deny: ["Read(./build)", "Read(**/dist/**)", "Read(node_modules/**)", "Read(./logs/**)", "Read(**/*secret*)"],
  files: [],
};

const judged = (commands: readonly string[]) => commands.map((command) => [command, judgeCommand(command, GENERATED)]);

test.each([
  [
    "tasks",
    [
      "npm run build",
      "npm run build -- --watch",
      "npm run secret-scan && npm run test:build",
      "npm --prefix web run build",
      "pnpm build",
      "pnpm -r build",
      "pnpm --filter web build",
      "yarn workspace web build",
      "bun run build",
      "bun run secret:scan",
      "NODE_ENV=production npm run build",
      "/usr/bin/make build",
      "deno task build",
      "deno compile a.ts",
      "swift build",
      "dart build",
      "make build",
      "make -j4 clean build",
      "make -C web build",
      "./gradlew build",
      "nx build web",
      "turbo run build --filter=web",
    ],
  ],
  [
    "subcommands",
    [
      "cargo build --release",
      "cargo +nightly build",
      "go build ./...",
      "dotnet build",
      "docker build .",
      "docker compose build",
      "docker compose logs -f web",
      "kubectl get secrets",
      "gh secret list",
      "npx vite build",
      "npx -y next build",
      "python -m build",
    ],
  ],
  ["packages", ["pip install build", "npm install -D build", "pnpm add build"]],
  [
    "branches",
    [
      "git push -u origin build",
      "git checkout -b fix/secret-rotation",
      "git switch -c build",
      "git merge --force feature/secrets",
      "git -C web push origin build",
    ],
  ],
  [
    "what git leaves out",
    [
      "git add -A -- :/ ':(top,exclude)a/secrets'",
      "git stash push -- . ':!secrets'",
      "git status -- ':(exclude)secrets'",
    ],
  ],
  [
    "text",
    [
      'git commit -m "build: fix logs"',
      "git commit -am 'rotate secrets'",
      "git commit --message=secrets",
      'git commit --amend -m "$subject" -m secrets',
      "git stash push -u -m build",
      "gh pr create --title secrets --body 'logs: none'",
      "gh pr create --draft --title --body --body 'logs: none'",
    ],
  ],
  ["tasks behind other programs", ["time npm run build", "timeout 60 make build", "bundle exec rake build"]],
])("a rule that denies a folder is not about %s of its name", (_, commands) => {
  expect(judged(commands)).toEqual(commands.map((command) => [command, "allow"]));
});

test("a command that leaves out the folder is not denied, though one that reads all else may need approval", () => {
  const commands = [
    "grep -rn foo . --exclude-dir=node_modules --exclude-dir=dist",
    'grep -rn "$what" src --exclude-dir=node_modules',
    "tar --exclude=node_modules -czf x.tgz src",
    "rsync -a --exclude node_modules src/ out/",
    "tree -a -I node_modules",
    "find . -name node_modules -prune -o -name '*.ts' -print",
    "find . -type f -not -path '*/node_modules/*'",
  ];
  expect(judged(commands).map(([, verdict]) => verdict)).toEqual([
    "ask",
    "ask",
    "ask",
    "ask",
    "allow",
    "allow",
    "allow",
  ]);
});

test.each([
  [
    "operands",
    [
      "cat build/x",
      "node build",
      "tar cf x.tar node_modules",
      "npm run lint build",
      "npm run lint -- dist/a.js",
      "npm publish dist",
      "vite dist",
      "cargo run secrets",
      "git diff build",
      "git add dist",
      "git fetch secrets",
      "docker cp secrets web:/",
      "kubectl cp secrets web:/",
      "make -n ./build",
      "time cat build",
      "npx cat build",
      "nx exec cat build",
    ],
  ],
  [
    "values of options",
    [
      "make -f secrets",
      "make -C build all",
      "just -f secrets",
      "pip install -r secrets",
      "npm --userconfig secrets run x",
      "npm --prefix build run x",
      "git tag -F secrets v1",
      "git commit -F secrets",
      "git -C dist push origin x",
      "docker --config secrets build .",
      "tar --exclude-from=secrets -cf x.tar src",
      "grep --exclude-from secrets -r foo src",
    ],
  ],
  [
    "operands after the end of options, and scripts",
    [
      "grep -- '' --exclude secrets",
      "grep -v -- x a.txt --exclude-dir secrets",
      "rsync -a -- src --exclude secrets host:",
      "swift secrets",
      "dart secrets",
      "deno secrets",
    ],
  ],
  [
    "folders that are installed or deployed",
    [
      "npm install file:secrets",
      "npm install x@file:secrets",
      "pnpm add link:secrets",
      "vercel secrets",
      "bun run secrets",
      "bun secrets",
      "dotnet @secrets",
      "just show secrets",
    ],
  ],
  [
    "words of a program that need not be the one it is called",
    [
      "make() { cat $1; }; make secrets",
      "hash -p /bin/cat make; make secrets",
      "shopt -s expand_aliases\nalias make=cat\nmake secrets",
      "cp /bin/cat make && ./make secrets",
      "cp /bin/cat make.exe && ./make.exe secrets",
      "cp /bin/cat gradlew && ./gradlew secrets",
      "PATH=bin make secrets",
    ],
  ],
  [
    "operands after an option that is a value",
    [
      "git add ':!secrets'",
      "git add -- ':secrets'",
      "git -c alias.x=!cat grep x -- ':!secrets'",
      "git commit -F -m secrets",
      "git checkout HEAD -- -b secrets",
      "gh pr create -F -b secrets",
      "gh x -b secrets",
      "grep -v $x --exclude secrets",
      "grep $x '' --exclude secrets",
      "grep x * --exclude secrets",
      "grep -v -e --exclude secrets",
      "grep -ve --exclude-dir secrets",
      "grep -f --exclude secrets x",
      "gh gist create -d -t secrets",
      "gh gist create -d --title --body secrets",
      "rsync -e --exclude secrets host:",
      "tar czf --exclude secrets",
      "zip -b --exclude out.zip secrets",
      "du -d --exclude secrets",
      "tree -L -I secrets",
      "eslint -c --ignore-pattern secrets",
    ],
  ],
  [
    "names that are searched for",
    [
      "find . -name secrets",
      "find . -not -not -name secrets",
      "find . -not -name secrets -exec cat {} +",
      "find . -name secrets -prune",
      "find . -name secrets -prune -o -name '*.ts'",
      "find . -name secrets -prune -o -name -print",
      "find . -not -name secrets -o -print",
      "find . ! \\( ! -name secrets \\)",
      "find . -printf -not -name secrets -print",
      "rg -g secrets foo",
    ],
  ],
  ["what the shell expands", ["make buil?", "npm run {build,x}"]],
])("it is about %s", (_, commands) => {
  expect(judged(commands).filter(([, verdict]) => verdict === "allow")).toEqual([]);
});
