// The Agent Client Protocol, version 1: the shapes that are used here. What arrives is checked where it is read, so fields of
// requests are `unknown` there. Nothing of ours stands at the root of these: only in `_meta`.

import type { CallLocation, JsonObject, ToolKind } from "@keelson/protocol";

/** Anything that is not of the protocol. */
interface WithMeta {
  readonly _meta?: JsonObject;
}

export interface ClientCapabilities extends WithMeta {
  readonly fs?: { readonly readTextFile?: boolean; readonly writeTextFile?: boolean };
  readonly terminal?: boolean;
  readonly session?: {
    readonly compaction?: object | null;
    readonly notices?: object | null;
    readonly configOptions?: { readonly boolean?: object | null } | null;
  } | null;
  readonly auth?: { readonly terminal?: boolean };
  readonly elicitation?: { readonly form?: object | null; readonly url?: object | null } | null;
}

export interface TextPart extends WithMeta {
  readonly type: "text";
  readonly text: string;
}

interface ImagePart extends WithMeta {
  readonly type: "image";
  readonly data: string;
  readonly mimeType: string;
  readonly uri?: string;
}

interface ResourceLinkPart extends WithMeta {
  readonly type: "resource_link";
  readonly uri: string;
  readonly name: string;
}

interface ResourcePart extends WithMeta {
  readonly type: "resource";
  readonly resource: { readonly uri: string; readonly mimeType?: string } & (
    { readonly text: string } | { readonly blob: string }
  );
}

/** A part of a prompt, of an answer, or of what a call shows. The protocol calls it a content block. */
export type ContentPart = TextPart | ImagePart | ResourceLinkPart | ResourcePart;

export type ToolCallStatus = "pending" | "in_progress" | "completed" | "failed";

export type ToolCallContent =
  | ({ readonly type: "content"; readonly content: ContentPart } & WithMeta)
  | ({
      readonly type: "diff";
      readonly path: string;
      /** Null: the file is new. */
      readonly oldText: string | null;
      readonly newText: string;
    } & WithMeta);

export interface ToolCallFields extends WithMeta {
  readonly toolCallId: string;
  readonly name?: string;
  readonly title?: string;
  readonly kind?: ToolKind;
  readonly status?: ToolCallStatus;
  /** Replaces what was there. */
  readonly content?: readonly ToolCallContent[];
  readonly locations?: readonly CallLocation[];
  readonly rawInput?: unknown;
  readonly rawOutput?: unknown;
}

export interface PlanEntry extends WithMeta {
  readonly content: string;
  readonly priority: "high" | "medium" | "low";
  readonly status: "pending" | "in_progress" | "completed";
}

export interface AvailableCommand extends WithMeta {
  readonly name: string;
  readonly description: string;
  readonly input?: { readonly hint: string };
}

export interface SessionModeState extends WithMeta {
  readonly currentModeId: string;
  readonly availableModes: readonly SessionMode[];
}

export interface SessionMode extends WithMeta {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
}

interface ConfigOptionFields extends WithMeta {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  readonly category?: "mode" | "model" | "model_config" | "thought_level";
}

interface ConfigChoice extends WithMeta {
  readonly value: string;
  readonly name: string;
  readonly description?: string;
}

export type SessionConfigOption = ConfigOptionFields &
  (
    | { readonly type: "select"; readonly currentValue: string; readonly options: readonly ConfigChoice[] }
    | { readonly type: "boolean"; readonly currentValue: boolean }
  );

interface ContentChunk extends WithMeta {
  readonly content: ContentPart;
  readonly messageId?: string;
}

/** What an editor is told of a session, by `sessionUpdate`. */
interface UpdateFields {
  user_message_chunk: ContentChunk;
  agent_message_chunk: ContentChunk;
  agent_thought_chunk: ContentChunk;
  tool_call: ToolCallFields & { readonly title: string };
  tool_call_update: ToolCallFields;
  plan: { readonly entries: readonly PlanEntry[] } & WithMeta;
  available_commands_update: { readonly availableCommands: readonly AvailableCommand[] } & WithMeta;
  current_mode_update: { readonly currentModeId: string } & WithMeta;
  config_option_update: { readonly configOptions: readonly SessionConfigOption[] } & WithMeta;
  session_info_update: { readonly title?: string | null; readonly updatedAt?: string | null } & WithMeta;
  usage_update: {
    readonly used: number;
    readonly size: number;
    readonly cost?: { readonly amount: number; readonly currency: string };
  } & WithMeta;
  /** Only for clients with `session.notices`. */
  notice: {
    readonly severity: "info" | "warning" | "error";
    readonly title: string;
    readonly description?: string;
  } & WithMeta;
  /** Only for clients with `session.compaction`. */
  compaction_update: {
    readonly compactionId: string;
    readonly status: "in_progress" | "completed" | "failed" | "cancelled";
    readonly summary?: readonly ContentPart[];
    readonly error?: string;
  } & WithMeta;
}

type UpdateKind = keyof UpdateFields;

export type SessionUpdate<Kind extends UpdateKind = UpdateKind> = {
  [Each in Kind]: { readonly sessionUpdate: Each } & UpdateFields[Each];
}[Kind];

export interface PermissionOption extends WithMeta {
  readonly optionId: string;
  readonly name: string;
  readonly kind: "allow_once" | "allow_always" | "reject_once" | "reject_always";
}

export interface PermissionRequest extends WithMeta {
  readonly sessionId: string;
  readonly toolCall: ToolCallFields;
  readonly options: readonly PermissionOption[];
}

interface FormField extends WithMeta {
  readonly title?: string;
  readonly description?: string;
}

interface FormChoice extends WithMeta {
  readonly const: string;
  readonly title: string;
  readonly description?: string;
}

type FormProperty = FormField &
  (
    | { readonly type: "string"; readonly oneOf?: readonly FormChoice[] }
    | { readonly type: "array"; readonly items: { readonly anyOf: readonly FormChoice[] } }
  );

export interface QuestionForm extends WithMeta {
  readonly type: "object";
  readonly title?: string;
  readonly properties: Readonly<Record<string, FormProperty>>;
  readonly required?: readonly string[];
}

export type FormRequest = WithMeta & {
  readonly sessionId: string;
  readonly toolCallId?: string;
  readonly message: string;
} & (
    | { readonly mode: "form"; readonly requestedSchema: QuestionForm | JsonObject }
    | { readonly mode: "url"; readonly url: string; readonly elicitationId: string }
  );
