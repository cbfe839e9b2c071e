// The shapes of Gemini's generateContent that we use. Replies are read with care: proxies leave fields out.

import type { JsonObject } from "@keelson/protocol";

export interface Content {
  readonly role: "user" | "model";
  readonly parts: readonly Part[];
}

export interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly inlineData?: Blob;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: unknown };
  readonly functionResponse?: FunctionResponse;
}

interface Blob {
  readonly mimeType: string;
  readonly data: string;
}

interface FunctionResponse {
  readonly id?: string;
  readonly name: string;
  readonly response: { readonly output: string } | { readonly error: string };
  readonly parts?: readonly { readonly inlineData: Blob }[];
}

export interface GenerateContentRequest {
  readonly systemInstruction?: { readonly parts: readonly Part[] };
  readonly contents: readonly Content[];
  readonly tools?: readonly { readonly functionDeclarations: readonly FunctionDeclaration[] }[];
  readonly toolConfig?: { readonly functionCallingConfig: JsonObject };
  readonly generationConfig: JsonObject;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parametersJsonSchema?: JsonObject;
  readonly parameters?: JsonObject;
}

export interface GenerateContentResponse {
  readonly candidates?: readonly {
    readonly content?: { readonly parts?: readonly Part[] };
    readonly finishReason?: string;
  }[];
  readonly promptFeedback?: { readonly blockReason?: string };
  readonly usageMetadata?: UsageMetadata;
  readonly responseId?: string;
  readonly error?: unknown;
}

export interface UsageMetadata {
  readonly promptTokenCount?: number;
  readonly toolUsePromptTokenCount?: number;
  readonly cachedContentTokenCount?: number;
  readonly candidatesTokenCount?: number;
  readonly thoughtsTokenCount?: number;
}
