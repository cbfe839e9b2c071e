// An environment, new or changed.

import { useSignal } from "@preact/signals";
import { api, ApiError } from "../../connection/api.ts";
import { Failure, useAttempt } from "../../session/sheets/attempt.tsx";
import { AreaField, TextField, type Problems } from "../form/field.tsx";
import { fieldOf } from "../form/form-values.ts";
import { changed } from "../live.ts";
import type { ShownEnvironment } from "../wire.ts";

interface EnvironmentFormProps {
  readonly environment: ShownEnvironment | undefined;
  done(): void;
}

export function EnvironmentForm({ environment, done }: EnvironmentFormProps) {
  const name = useSignal(environment?.name ?? "");
  const network = useSignal((environment?.network ?? []).join("\n"));
  const variables = useSignal(
    Object.entries(environment?.variables ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join("\n"),
  );
  const secrets = useSignal((environment?.secrets ?? []).join("\n"));
  const script = useSignal(environment?.setup_script ?? "");
  const problems = useSignal<Problems>({});
  const attempt = useAttempt();
  const save = (event: Event) => {
    event.preventDefault();
    void attempt.run(async () => {
      problems.value = {};
      const body = {
        name: name.value.trim(),
        network: words(network.value),
        secrets: words(secrets.value),
        variables: Object.fromEntries(lines(variables.value).map(pair)),
        setup_script: script.value.trim() === "" ? null : script.value,
      };
      try {
        await (environment === undefined
          ? api("POST", "/v1/environments", { body })
          : api("PATCH", `/v1/environments/${environment.id}`, { body }));
      } catch (error) {
        const wrong = error instanceof ApiError ? fieldOf(error.message) : undefined;
        if (wrong === undefined) throw error;
        problems.value = { [wrong.field]: wrong.problem };
        return;
      }
      changed();
      done();
    });
  };
  const about = { problems: problems.value };
  return (
    <form onSubmit={save} noValidate>
      <TextField {...about} name="name" title="Name" value={name.value} set={(value) => (name.value = value)} />
      <AreaField
        {...about}
        name="network"
        title="Hosts that commands reach"
        rows={3}
        isMono
        about="One in each line, such as *.example.org"
        value={network.value}
        set={(value) => (network.value = value)}
      />
      <AreaField
        {...about}
        name="secrets"
        title="Secrets"
        rows={2}
        isMono
        about="Their names; commands have them as variables"
        value={secrets.value}
        set={(value) => (secrets.value = value)}
      />
      <AreaField
        {...about}
        name="variables"
        title="Variables"
        rows={3}
        isMono
        about="NAME=VALUE in each line; no secrets, for everybody sees them"
        value={variables.value}
        set={(value) => (variables.value = value)}
      />
      <AreaField
        {...about}
        name="setup_script"
        title="Setup script"
        rows={5}
        isMono
        about="Runs in the checkout before the run; what it makes is kept for later runs"
        value={script.value}
        set={(value) => (script.value = value)}
      />
      <Failure of={attempt} />
      <button class="primary" disabled={attempt.isBusy.value}>
        {environment === undefined ? "Make it" : "Save"}
      </button>
    </form>
  );
}

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

const words = (text: string) => text.split(/[\s,]+/).filter((each) => each !== "");

function pair(line: string): readonly [string, string] {
  const at = line.indexOf("=");
  return at === -1 ? [line, ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}
