export { openSession, type OpenOptions } from "./open-session.ts";
export { OpenError, type SessionChoice } from "./place.ts";
export { openExplainer, type Explained, type Explainer, type SupposedCall } from "./explain-call.ts";
export type {
  CommandExplanation,
  Explanation,
  PartExplanation,
  PathExplanation,
  RedirectionExplanation,
  Remedy,
  Rule,
  RuleNote,
  Verdict,
} from "@keelson/engine";
