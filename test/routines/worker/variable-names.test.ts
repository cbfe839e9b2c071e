// The names that an environment of routines may give to its variables and secrets, next to those that the program reads.

import { expect, test } from "bun:test";
import { isCredential } from "../../../packages/config/src/env/scrub.ts";
import { VARIABLES } from "../../../packages/config/src/env/variables.ts";
import { isOwnName, problemOfNames } from "../../../packages/routines/src/records/variable-names.ts";

test("names that only look like those of the program are an environment's own", () => {
  const names = ["GITHUB_TOKEN", "GITLAB_TOKEN", "NODE_ENV", "NODE_AUTH_TOKEN", "LDAP_PASSWORD", "LDFLAGS", "API_KEY"];
  for (const name of [...names, "API_URL", "MAX_RETRIES", "BUNDLE_PATH", "CLAUDETTE", "MY_AWS_REGION"])
    expect([name, isOwnName(name), problemOfNames([name])]).toEqual([name, true, undefined]);
  // Otherwise it would be given, and then be kept from commands.
  expect(names.filter(isCredential)).toEqual([]);
});

test("what the program reads is never an environment's, except what only changes how commands look or speak", () => {
  const terminal =
    /^(?:COLOR\w*|\w+_COLOR|FORCE_HYPERLINK|TERM|TERM_PROGRAM|DISPLAY|\w+_DISPLAY|DOMTERM|STY|\w+_VERSION|WT_SESSION)$/;
  const language = /^(?:LANG|LC_\w+)$/;
  const own = Object.keys(VARIABLES).filter((name) => isOwnName(name) && !terminal.test(name) && !language.test(name));
  // Of a terminal, and of npm, which a run does not use itself.
  const unused = ["BROWSER", "EDITOR", "NPM_CONFIG_REGISTRY", "NPM_CONFIG_USERCONFIG", "SSH_CONNECTION", "VISUAL"];
  expect(own.toSorted()).toEqual(unused);
});

test("no name of a provider's account, address or report is an environment's", () => {
  const accounts = ["AWS_SECRET_ACCESS_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "GOOGLE_APPLICATION_CREDENTIALS"];
  const reports = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_HEADERS"];
  for (const name of [...accounts, ...reports, "openai_api_key", "NODE_EXTRA_CA_CERTS", "LD_AUDIT", "https_proxy"]) {
    expect([name, isOwnName(name)]).toEqual([name, false]);
    expect(problemOfNames(["A", name])).toStartWith(`"${name}" is a name that the program of a run`);
  }
});
