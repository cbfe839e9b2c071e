// A name without a provider that leads to Anthropic, in a place where Anthropic cannot be asked. Loaded only then.

import { ModelError } from "@keelson/engine";
import { PROVIDERS, providerNamed } from "../known/providers.ts";
import { registeredIds } from "../known/registry.ts";
import type { NameFacts } from "./names.ts";

/** What was probably meant. Undefined if nothing is set up at all, and the name may be one of Anthropic. */
export function misplacedName(
  name: string,
  { providers = {} }: NameFacts,
  ready: readonly string[],
): ModelError | undefined {
  const provider = Object.hasOwn(providers, name) ? name : providerNamed(name);
  if (provider !== undefined && provider !== "anthropic")
    return wrong(`"${name}" is a provider, not a model; ${choice(provider)}`);
  const makers = Object.keys(PROVIDERS).filter((each) => registeredIds(each).includes(name));
  const maker = makers.find((each) => ready.includes(each)) ?? makers[0];
  if (maker !== undefined) return wrong(`"${name}" is a model of ${maker}; use --model ${maker}/${name}`);
  const [other] = ready;
  if (other === undefined) return undefined;
  return wrong(
    `"${name}" names no provider, which means Anthropic, and that is not set up; ${choice(other)}, or set ANTHROPIC_API_KEY`,
  );
}

const choice = (provider: string) => `use --model ${provider}/ID (keelson models ${provider} lists them)`;

const wrong = (message: string) => new ModelError("invalid_request", message);
