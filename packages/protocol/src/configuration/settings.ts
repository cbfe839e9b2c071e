// The contents of a settings file, typed from the table of keys. Files may hold other keys; code cannot read them.

import type { HookEvent, HookHandler } from "./hook.ts";
import type { McpServerPattern } from "./mcp-config.ts";
import type { PermissionMode } from "./permission.ts";
import type { SETTINGS_TABLE, ValueType } from "./settings-table.ts";

/** All keys are optional. A key that is not in the table does not compile, so a typo cannot turn off a protection. */
export type Settings = Group<SettingsKey>;

/** A key with its dots: `permissions.deny`. */
export type SettingsKey = keyof typeof SETTINGS_TABLE;

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite5m?: number;
  readonly cacheWrite1h?: number;
  /** For a whole request whose prompt has more tokens than `above`. */
  readonly longPrompt?: Omit<ModelPrice, "longPrompt"> & { readonly above: number };
}

/** A model server, or a change to one that Keelson knows. */
export interface ProviderBlock {
  readonly api?: ProviderApi;
  readonly baseUrl?: string;
  /** The variable with the key. */
  readonly apiKeyEnv?: string;
  /** A command that prints the key. */
  readonly apiKeyHelper?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly models?: Readonly<Record<string, ModelBlock>>;
  readonly compat?: CompatBlock;
}

/** The API that a model server has. */
export type ProviderApi = "openai-chat" | "openai-responses" | "anthropic" | "gemini" | "bedrock" | "vertex";

/** What a model can do, where Keelson does not know it or is wrong. */
export interface ModelBlock {
  readonly contextWindow?: number;
  readonly maxTokens?: number;
  readonly images?: boolean;
  readonly documents?: boolean;
  readonly thinking?: "none" | "budget" | "adaptive";
  readonly efforts?: readonly string[];
  readonly price?: ModelPrice;
}

/** Habits of a server that Keelson cannot find out. */
export interface CompatBlock {
  readonly maxTokensField?: "max_tokens" | "max_completion_tokens";
  readonly developerRole?: boolean;
  readonly streamUsage?: boolean;
  readonly reasoningField?: "reasoning_content" | "reasoning";
  readonly stringToolContent?: boolean;
}

/** The hooks of one event that share a matcher. */
export interface HookGroup {
  /** Absent: matches everything. */
  readonly matcher?: string;
  readonly hooks: readonly HookHandler[];
}

/** The object that holds these keys; `Prefix` is where it is. */
type Group<Keys extends string, Prefix extends string = ""> = {
  readonly [Name in FirstName<Keys>]?: `${Prefix}${Name}` extends SettingsKey
    ? Value<(typeof SETTINGS_TABLE)[`${Prefix}${Name}`]["type"]>
    : Group<NamesAfter<Keys, Name>, `${Prefix}${Name}.`>;
};

type FirstName<Key extends string> = Key extends `${infer Name}.${string}` ? Name : Key;
type NamesAfter<Key extends string, Name extends string> = Key extends `${Name}.${infer Rest}` ? Rest : never;

type Value<Type extends ValueType> = Type extends { readonly kind: "choice"; readonly of: readonly (infer Word)[] }
  ? Word
  : Type extends { readonly kind: "list"; readonly of: infer Item extends keyof Items }
    ? readonly Items[Item][]
    : Type extends { readonly kind: "map"; readonly of: infer Item extends keyof Items }
      ? Readonly<Record<string, Items[Item]>>
      : Type["kind"] extends keyof Plain
        ? Plain[Type["kind"]]
        : never;

interface Plain {
  readonly text: string;
  readonly any: unknown;
  readonly object: Readonly<Record<string, unknown>>;
  readonly flag: boolean;
  readonly number: number;
  readonly mode: PermissionMode;
  readonly models: string | readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly prices: Readonly<Record<string, ModelPrice>>;
  readonly providers: Readonly<Record<string, ProviderBlock>>;
  readonly hooks: Readonly<Partial<Record<HookEvent, readonly HookGroup[]>>>;
  readonly rules: readonly string[];
}

interface Items {
  readonly text: string;
  readonly flag: boolean;
  readonly texts: readonly string[];
  readonly any: unknown;
  readonly guard: boolean;
  readonly server: McpServerPattern;
  readonly credential: { readonly path?: string; readonly name?: string; readonly mode: "deny" | "mask" };
}
