export {
  toEvents,
  type ScriptedCall,
  type Cut,
  type Failure,
  type ScriptedReply,
  type ScriptStep,
  type StreamPoint,
  type Timing,
} from "./model/reply.ts";
export { scriptedModel, type ScriptedModel } from "./model/scripted-model.ts";
export {
  startMockModel,
  type MockModel,
  type MockModelOptions,
  type AnswerOutcome,
  type RecordedRequest,
} from "./model/mock-server.ts";
export { temporaryHome, type TemporaryHome } from "./program/home.ts";
export {
  programCommand,
  runKeelson,
  startKeelson,
  type Ended,
  type ProgramOptions,
  type Running,
} from "./program/run-program.ts";
export type { LoggedLine } from "./program/line-log.ts";
export { normaliser, type Volatile } from "./program/normalise.ts";
export {
  sessionEntries,
  shapeOf,
  type EntryOptions,
  type ReplyShape,
  type SessionShape,
} from "./engine/session-entries.ts";
export { chainProblems, readTranscript, transcriptFiles } from "./program/transcript.ts";
export { cost, growth } from "./growth.ts";
export { LOOPBACK_CERTIFICATE } from "./program/loopback-certificate.ts";
export { seeded } from "./seeded.ts";
export { testUnless } from "./test-unless.ts";
export { startRoutinesServer, type RoutinesServer } from "./routines/routines-server.ts";
export { messageProblems } from "./model/message-problems.ts";
export type { MemoryFiles } from "./engine/memory-files.ts";
export { testEngine, type Charge, type TestEngine, type TestEngineOptions } from "./engine/test-engine.ts";
export {
  describeModelProvider,
  throughMockModel,
  type MakeProvider,
  type ProviderUnderTest,
  type TestRunner,
} from "./conformance/model-provider.ts";
export { encodeEvent, encodeException, encodeFrame } from "./dialects/event-frame.ts";
export {
  startDialectServer,
  type DialectRequest,
  type DialectRules,
  type DialectServer,
  type DialectServerOptions,
  type StreamFrame,
} from "./dialects/server.ts";
export {
  textPieces,
  thinkingStateOf,
  type DialectBlock,
  type DialectCall,
  type DialectFailure,
  type DialectReply,
  type DialectScript,
  type DialectStep,
  type DialectUsage,
  type ScriptedAnswer,
  type RawAnswer,
  type SeenPart,
  type SeenRequest,
} from "./dialects/script.ts";
export { chatParts, startChatServer, type ChatServerOptions } from "./dialects/openai/chat-server.ts";
export {
  responsesParts,
  startResponsesServer,
  type ResponsesServerOptions,
} from "./dialects/openai/responses-server.ts";
export { geminiParts, startGeminiServer, type GeminiServerOptions } from "./dialects/gemini-server.ts";
export { geminiProblem, type GeminiRules } from "./dialects/gemini-rules.ts";
export { startBedrockServer, type BedrockServerOptions } from "./dialects/bedrock-server.ts";
export type { ConverseLimits } from "./dialects/converse-rules.ts";
export { signatureProblem, type SigningKeys } from "./dialects/aws-signature.ts";
export { chatProblem, type ChatRules } from "./dialects/openai/chat-rules.ts";
export { responsesProblem, type GivenReasoning } from "./dialects/openai/responses-rules.ts";
export { startVertexServer, type VertexServerOptions } from "./dialects/vertex-server.ts";
