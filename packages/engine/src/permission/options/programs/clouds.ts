// Command lines of hosting services: what runs something elsewhere, sends or overwrites local files, or prints
// credentials.

import { wordMatching, type ProgramOptionTable } from "../program-options.ts";

const WHOLE: ProgramOptionTable = { whole: true };
const COPIES: ProgramOptionTable = { opens: true };

/** Settings that name a program, another server or a credential. */
const AWS_SETTING =
  /(^|\.)(credential_process|ca_bundle|cli_pager|endpoint_url|plugins\..*|services|\w*(key|token)\w*)$/i;

/** A parameter whose value is read from a file outside. */
const FROM_FILE = /^(--[\w-]+=)?fileb?:\/\/(\/|~|(.*\/)?\.\.(\/|$))/;

const aws: ProgramOptionTable = {
  long: "ca-bundle",
  files: "template-file output-template-file body",
  inspect: wordMatching(FROM_FILE),
  commands: {
    configure: {
      commands: { "add-model": WHOLE, "export-credentials": WHOLE, import: WHOLE, set: { operand: AWS_SETTING } },
    },
    codeartifact: { commands: { login: WHOLE } },
    ecs: { commands: { "execute-command": WHOLE } },
    eks: { commands: { "update-kubeconfig": WHOLE } },
    "ec2-instance-connect": { commands: { ssh: WHOLE } },
    emr: { commands: { get: WHOLE, put: WHOLE, socks: WHOLE, ssh: WHOLE } },
    lambda: { commands: { invoke: COPIES } },
    s3: { commands: { cp: COPIES, mv: COPIES, sync: COPIES } },
    s3api: { commands: { "get-object": { ...COPIES, takes: "bucket key version-id range" } } },
    ssm: { commands: { "send-command": WHOLE, "start-session": WHOLE } },
  },
};

/** Settings that choose another server, identity or program. */
const GCLOUD_SETTING = /^(api_endpoint_overrides|auth|proxy)\/|^(core\/)?custom_ca_certs_file$/;

const gcloud: ProgramOptionTable = {
  long: "flags-file",
  files: "source key-file data-file cred-file file metadata-from-file",
  commands: {
    app: { commands: { deploy: COPIES } },
    auth: { commands: { "print-access-token": WHOLE, "print-identity-token": WHOLE } },
    builds: { commands: { submit: COPIES } },
    compute: { commands: { scp: WHOLE, ssh: WHOLE } },
    "cloud-shell": { commands: { scp: WHOLE, ssh: WHOLE } },
    config: { commands: { set: { operand: GCLOUD_SETTING } } },
    keys: { commands: { create: COPIES } },
    storage: { commands: { cp: COPIES, mv: COPIES, rsync: COPIES } },
  },
};

/** Options of git for `gh repo clone a/b -- …`. */
const GIT_OPTION = /^(-c|-u|--config|--template|--upload-pack|--separate-git-dir)/;
const cloning: ProgramOptionTable = { opens: true, inspect: wordMatching(GIT_OPTION) };
const texts: ProgramOptionTable = { files: "F body-file notes-file" };
const downloads: ProgramOptionTable = { files: "D dir O output" };
const secrets: ProgramOptionTable = { files: "f env-file" };

/** Any text, or a file in the working directories. */
const FIELD = /^(?![^=]*=@)|^[^=]*=@(\.\/)?\w[\w.-]*(\/\w[\w.-]*)*$/s;

const gh: ProgramOptionTable = {
  commands: {
    alias: { commands: { import: WHOLE, set: WHOLE } },
    api: { short: "F", long: "field", files: "input", valued: "HXfpqt", values: { F: FIELD, field: FIELD } },
    auth: { commands: { "git-credential": WHOLE, "setup-git": WHOLE, token: WHOLE } },
    codespace: { commands: { cp: WHOLE, jupyter: WHOLE, ssh: WHOLE } },
    config: { commands: { set: { operand: /^(browser|editor|pager|http_unix_socket)$/ } } },
    cs: { commands: { cp: WHOLE, jupyter: WHOLE, ssh: WHOLE } },
    ext: { commands: { exec: WHOLE, install: WHOLE, upgrade: WHOLE } },
    extension: { commands: { exec: WHOLE, install: WHOLE, upgrade: WHOLE } },
    extensions: { commands: { exec: WHOLE, install: WHOLE, upgrade: WHOLE } },
    gist: { commands: { create: COPIES, edit: COPIES } },
    "gpg-key": { commands: { add: COPIES } },
    issue: texts,
    pr: texts,
    release: { ...texts, commands: { create: COPIES, download: downloads, upload: COPIES } },
    repo: { commands: { clone: cloning, fork: cloning } },
    run: { commands: { download: downloads } },
    secret: secrets,
    "ssh-key": { commands: { add: COPIES } },
    variable: secrets,
    workflow: { short: "F", long: "field", values: { F: FIELD, field: FIELD } },
  },
};

export const CLOUDS: Readonly<Record<string, ProgramOptionTable>> = {
  aws,
  gcloud,
  gh,
  glab: { commands: { alias: { commands: { set: WHOLE } }, config: { commands: { edit: WHOLE, set: WHOLE } } } },
  pulumi: { files: "C cwd config-file" },
  sam: { files: "t template template-file config-file" },
  vercel: { files: "cwd A local-config Q global-config" },
};
