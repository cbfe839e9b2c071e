// Which files an instruction file may include: those with the name of a text file.

const EXTENSIONS =
  "md mdx mdc markdown txt text rst adoc asciidoc org tex log diff patch " +
  "json jsonc json5 jsonl yaml yml toml ini cfg conf config properties xml xsd xsl csv tsv " +
  "html htm xhtml css scss sass less styl svg vue svelte astro hbs ejs pug njk liquid mustache " +
  "js mjs cjs jsx ts mts cts tsx coffee elm py pyi pyw ipynb rb erb rake gemspec php pl pm lua r jl " +
  "java kt kts scala sbt groovy gradle clj cljs cljc edn go mod sum rs c h cc cpp cxx hpp hh hxx m mm swift " +
  "cs csx fs fsx vb zig nim v d dart ex exs erl hrl hs lhs ml mli f90 f95 f03 pas asm s sol vy move cairo " +
  "sh bash zsh fish ksh ps1 psm1 bat cmd awk sed make mk cmake bazel bzl nix just dockerfile tf tfvars hcl " +
  "sql psql graphql gql proto thrift avsc prisma rego cue jq http feature editorconfig gitignore gitattributes " +
  "dockerignore npmignore prettierrc eslintrc babelrc nvmrc browserslistrc lock";

const NAMES =
  "README CHANGELOG CONTRIBUTING LICENSE LICENCE COPYING NOTICE AUTHORS MAINTAINERS CODEOWNERS SECURITY TODO VERSION " +
  "CLAUDE AGENTS Makefile GNUmakefile Dockerfile Containerfile Justfile justfile Procfile Gemfile Rakefile " +
  "Vagrantfile Brewfile Jenkinsfile BUILD WORKSPACE";

/** Names without a dot must be in the list. `.env` and the like are never included. */
export function isTextFile(name: string): boolean {
  const dot = name.lastIndexOf(".");
  if (dot < 0) return holds(NAMES, name);
  const extension = name.slice(dot + 1).toLowerCase();
  return holds(EXTENSIONS, extension);
}

const holds = (list: string, word: string) => /^[\w-]+$/.test(word) && ` ${list} `.includes(` ${word} `);
