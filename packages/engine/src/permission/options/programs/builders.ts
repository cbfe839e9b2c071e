// Compilers, build tools and their test runners. Their purpose is to run the project's own code; options that load a
// program, a plugin or a configuration from elsewhere are not covered.

import { wordMatching, type ProgramOptionTable } from "../program-options.ts";

const cargo: ProgramOptionTable = {
  long: "config",
  short: "Z",
  valued: "jpFC",
  files: "C manifest-path target-dir lockfile-path",
};

/** A linker set through linker flags is a program too. */
const GO_FLAGS = /^(?!.*(extld|-linkmode=?\s*external|fplugin))/s;
const goTool: ProgramOptionTable = {
  single: true,
  long: "exec toolexec vettool overlay modfile pkgdir ldflags gccgoflags compiler",
  values: { ldflags: GO_FLAGS, gccgoflags: GO_FLAGS, compiler: /^gc$/ },
  files: "o C blockprofile coverprofile cpuprofile memprofile mutexprofile outputdir trace",
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
  valued: "ABDGjSTUWt",
  inspect: wordMatching(CMAKE_PROGRAM),
};

/** `exec.executable`, another JVM or extension classes set as properties. */
const MAVEN_PROPERTY = /^-D(maven\.ext\.class\.path|exec\.|jvm|argLine|java\.home|maven\.repo\.remote)/i;

const maven: ProgramOptionTable = {
  files: "f file s settings gs global-settings t toolchains l log-file",
  valued: "DPTb",
  inspect: wordMatching(MAVEN_PROPERTY),
};

const gradle: ProgramOptionTable = {
  short: "I",
  long: "init-script",
  files: "b build-file c settings-file p project-dir g gradle-user-home include-build project-cache-dir",
  valued: "DPx",
  inspect: wordMatching(/^-D(org\.gradle\.(java\.home|jvmargs)|java\.home)|^-P\w*(javaHome|executable)/i),
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
  dotnet: {
    long: "test-adapter-path settings additional-deps additionalprobingpath",
    inspect: wordMatching(/^[-/]{1,2}(logger|l|dl|distributedlogger)[:=].*[/\\]|^@/i),
  },
  gcc: compiler,
  go: {
    single: true,
    long: "exec toolexec vettool",
    files: "C",
    commands: {
      build: goTool,
      install: goTool,
      run: goTool,
      test: goTool,
      vet: goTool,
      list: goTool,
      generate: goTool,
      env: { single: true, long: "w u" },
    },
  },
  gradle,
  latexmk: { single: true, long: "e r latex pdflatex lualatex xelatex usepretex" },
  make,
  meson: { long: "native-file cross-file", files: "C" },
  mvn: maven,
  ninja: { files: "f C", valued: "jkldtw" },
  pdflatex: { single: true, long: "shell-escape enable-write18 ini", files: "output-directory" },
  protoc: { long: "plugin", inspect: wordMatching(/^--(plugin|\w+_out)=(.*\.\.|\/)/) },
  rake: {
    narrowed: { short: "frRIe", long: "rakefile require libdir rakelibdir execute execute-print execute-continue" },
  },
  rspec: { files: "r require I O options f format o out", valued: "ePt" },
  rustc: {
    short: "Z",
    long: "codegen",
    inspect: wordMatching(/^(-C|--codegen=)?(linker|link-args?|link-self-contained)=/),
  },
  sbt: { long: "java-home", inspect: wordMatching(/^-(java-home|J|D)/) },
  swift: { long: "toolchain", single: true },
};
