// Compilers, build tools and their test runners. Their purpose is to run the project's own code; options that load a
// program, a plugin or a configuration from elsewhere are not covered.

import { dotnet } from "./dotnet.ts";
import { wordMatching, type ProgramOptionTable } from "../program-options.ts";

const WHOLE: ProgramOptionTable = { whole: true };

const cargo: ProgramOptionTable = {
  long: "config",
  short: "Z",
  valued: "jpFC",
  files: "C manifest-path target-dir artifact-dir out-dir lockfile-path path root",
  operand: /^\+.*\//,
  commands: {
    init: { opens: true },
    new: { opens: true },
    rustc: { inspect: wordMatching(/^(-C|--codegen=)?(linker|link-args?)=/) },
    vendor: { opens: true },
    // After `--` comes a command; `-x` only takes commands of cargo.
    watch: { short: "s", long: "shell", valued: "x", inspect: wordMatching(/^--$/) },
  },
};

/** A linker set through linker flags is a program too. */
const GO_FLAGS = /^(?!.*(extld|-linkmode=?\s*external|fplugin))/s;
const goTool: ProgramOptionTable = {
  single: true,
  long: "exec toolexec vettool overlay modfile pkgdir ldflags gccgoflags compiler",
  values: { ldflags: GO_FLAGS, gccgoflags: GO_FLAGS, compiler: /^gc$/ },
  files:
    "o C blockprofile coverprofile cpuprofile memprofile mutexprofile outputdir pgo trace test.blockprofile test.coverprofile test.cpuprofile test.memprofile test.mutexprofile test.outputdir test.trace",
};

const compiler: ProgramOptionTable = {
  single: true,
  long: "fplugin fpass-plugin specs wrapper load Xclang ld-path fuse-ld plugin iplugindir B",
  values: { "fuse-ld": /^(bfd|gold|lld|mold)$/ },
  files: "o",
  operand: /^@/,
  inspect: wordMatching(/^-B|^-Wl,.*plugin/),
};

/** Variables that name a program or a script. Plain compiler names are fine. */
const CMAKE_PROGRAM =
  /^(-D)?CMAKE_(\w*(_LAUNCHER|_PROGRAM|_INCLUDE\w*|_LINKER\w*)|TOOLCHAIN_FILE|\w+_COMPILER(?!(:\w+)?=(gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(-\d+)?$))(:\w+)?=/i;

const cmake: ProgramOptionTable = {
  short: "PEC",
  long: "open toolchain project-file graphviz debugger-pipe",
  valued: "ADGjTUWt",
  files: "S B build",
  inspect: wordMatching(CMAKE_PROGRAM),
};

/** `exec.executable`, another JVM, extension classes or another repository set as properties. */
const MAVEN_PROPERTY =
  /^(-D|--define=)?(maven\.(ext\.class\.path|repo\.(local|remote)|multiModuleProjectDirectory|home)|exec\.|jvm|argLine|java\.home)\b/i;

/** Plugins that run code they are given. In full, with group and version, a goal is of a plugin from anywhere. */
const MAVEN_GOAL =
  /^(exec|antrun|ant|groovy|gmaven|gmavenplus|scripting|jshell|beanshell):|^(?!org\.apache\.maven\.plugins:)[\w.-]+:[\w.-]+:[\w.-]+(:|$)|:(exec|antrun|gmavenplus|groovy)-maven-plugin:/;

const maven: ProgramOptionTable = {
  files: "f file s settings gs global-settings t toolchains gt global-toolchains l log-file",
  valued: "DPTb",
  operand: MAVEN_GOAL,
  inspect: wordMatching(MAVEN_PROPERTY),
};

const GRADLE_PROPERTY =
  /^(-D|--system-prop=)?(org\.gradle\.(java\.home|jvmargs|projectcachedir)|gradle\.user\.home|java\.home)\b|^-P\w*(javaHome|executable)|^(-P|--project-prop=)?\S*(aapt2FromMavenOverride)=|^--gradle-distribution-url/i;

const gradle: ProgramOptionTable = {
  short: "I",
  long: "init-script",
  files: "b build-file c settings-file p project-dir g gradle-user-home include-build project-cache-dir",
  valued: "DPx",
  inspect: wordMatching(GRADLE_PROPERTY),
};

/** What make runs recipes with, and names and values it would evaluate; `x!=id` runs a command. */
const MAKE_CODE =
  /^(?:\.?SHELL(?:FLAGS)?|MAKE(?:FLAGS|FILES|OVERRIDES)|GNUMAKEFLAGS)\s*[:?+!]*=|^[^=]*!\s*=|^(?=[^]*=)[^]*(?:\$[({]|`)/s;
/** Variables that name a program, and values that are more than plain text to the shell. */
const MAKE_PROGRAM =
  /^(?:MAKE\w*|CC|CXX|CPP|LD|AR|AS|FC|RM|LEX|YACC|CURDIR|VPATH|\w*(?:COMPILER|PYTHON|NODE|GO|CARGO|BASH|LAUNCHER|CMD|COMMAND|BIN|EXE|TOOL))\s*[:?+!]*=|^[\w.-]+\s*[:?+!]*=(?![\w .,:/=@+-]*$)/;

const make: ProgramOptionTable = {
  short: "E",
  long: "eval",
  valued: "jloW",
  files: "f file makefile C directory I include-dir",
  operand: MAKE_CODE,
  narrowed: {
    short: "fCIe",
    long: "file makefile directory include-dir environment-overrides",
    valued: "jloW",
    operand: MAKE_PROGRAM,
  },
};

export const BUILDERS: Readonly<Record<string, ProgramOptionTable>> = {
  ant: { files: "f file buildfile lib", single: true, long: "lib logger listener inputhandler main propertyfile" },
  bazel: {
    long: "bazelrc host_jvm_args run_under script_path server_javabase action_env override_repository workspace_status_command",
  },
  cargo,
  "clang-tidy": { long: "load config-file vfsoverlay", single: true },
  cmake,
  ctest: {
    short: "SD",
    valued: "ACEIjLMRT",
    long: "script build-and-test test-command build-makeprogram",
    files: "test-dir O output-log",
  },
  dotnet,
  gcc: compiler,
  go: {
    single: true,
    long: "exec toolexec vettool fixtool",
    files: "C",
    commands: {
      build: goTool,
      install: goTool,
      run: { ...goTool, opens: true, operands: 1 },
      test: goTool,
      vet: goTool,
      list: goTool,
      generate: goTool,
      env: { single: true, long: "w u" },
      mod: { single: true, files: "replace" },
      tool: { single: true, long: "modfile", files: "o dynout trace outfile" },
      work: { commands: { use: { opens: true } } },
    },
  },
  gradle,
  just: {
    short: "c",
    long: "command shell shell-arg chooser edit",
    plain: "shell-command",
    files: "f justfile d working-directory dotenv-path E",
  },
  latexmk: { single: true, long: "e r latex pdflatex lualatex xelatex usepretex" },
  make,
  meson: { long: "native-file cross-file", files: "C" },
  mix: {
    commands: {
      "archive.install": WHOLE,
      cmd: WHOLE,
      "escript.install": WHOLE,
      eval: WHOLE,
      rpc: WHOLE,
      run: { short: "er", long: "eval require", opens: true },
    },
  },
  mvn: maven,
  ninja: { files: "f C", valued: "jkldtw" },
  pdflatex: { single: true, long: "shell-escape enable-write18 ini", files: "output-directory" },
  protoc: { long: "plugin", inspect: wordMatching(/^--(plugin|\w+_out)=(.*\.\.|\/)/) },
  rake: {
    narrowed: { short: "frRIe", long: "rakefile require libdir rakelibdir execute execute-print execute-continue" },
  },
  rustc: {
    short: "Z",
    long: "codegen",
    inspect: wordMatching(/^(-C|--codegen=)?(linker|link-args?|link-self-contained)=/),
  },
  sbt: { long: "java-home", inspect: wordMatching(/^-(java-home|J|D)/) },
  swift: {
    single: true,
    long: "toolchain disable-sandbox fplugin load-plugin-executable load-plugin-library plugin-path external-plugin-path",
    files: "package-path scratch-path cache-path config-path security-path pkg-config-path swift-sdks-path",
  },
  task: { files: "t taskfile d dir" },
  turbo: { files: "cwd log-file root-turbo-json" },
  xcodebuild: {
    single: true,
    files: "project workspace xcconfig derivedDataPath resultBundlePath exportPath archivePath exportOptionsPlist",
    operand: /^(CC|CXX|LD|LIBTOOL|AR|SWIFT_EXEC|[A-Z_]*COMPILER[A-Z_]*|TOOLCHAINS)=/,
  },
  zig: { single: true, files: "build-file cache-dir global-cache-dir prefix p femit-bin" },
};
