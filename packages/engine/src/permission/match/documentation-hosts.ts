// Sites whose pages WebFetch reads without asking: documentation that its makers publish. None of them shows pages that
// strangers write, and none passes requests on.

import { hostOf } from "./match-name.ts";

const HOSTS = new Set(
  `angular.dev
  bun.sh
  code.claude.com
  dev.mysql.com
  developer.android.com
  developer.mozilla.org
  docs.aws.amazon.com
  docs.djangoproject.com
  docs.docker.com
  docs.oracle.com
  docs.python.org
  docs.spring.io
  docs.swift.org
  doc.rust-lang.org
  en.cppreference.com
  expressjs.com
  fastapi.tiangolo.com
  flask.palletsprojects.com
  git-scm.com
  go.dev
  graphql.org
  jestjs.io
  kotlinlang.org
  kubernetes.io
  matplotlib.org
  modelcontextprotocol.io
  nextjs.org
  nginx.org
  nodejs.org
  numpy.org
  pandas.pydata.org
  platform.claude.com
  pytorch.org
  react.dev
  redis.io
  scikit-learn.org
  tailwindcss.com
  vite.dev
  vuejs.org
  www.postgresql.org
  www.sqlite.org
  www.typescriptlang.org`.split(/\s+/),
);

/** Compared as a whole host, never as the beginning or the end of one, and on the usual port only. */
export function isDocumentation(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.port !== "" || url.username !== "" || url.password !== "")
    return false;
  return HOSTS.has(hostOf(address) ?? "");
}
