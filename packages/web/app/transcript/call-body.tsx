// What a call was given and what it returned.

import {
  isAgentCall,
  listArguments,
  patchOfResult,
  readQuestions,
  type CallItem,
  type SubagentProgress,
} from "@keelson/client";
import { isObject, isText, type ContentBlock, type JsonObject } from "@keelson/protocol";
import { Code } from "./code/code.tsx";
import { Diff } from "./diff.tsx";
import { MarkdownOf } from "./markdown.tsx";
import { Images, Printed } from "./output.tsx";
import { showAll, showRow } from "./visible.ts";

interface CallBodyProps {
  readonly call: CallItem;
  /** What it has printed, while it runs. */
  readonly live: string;
  readonly pictures: readonly string[];
}

export function CallBody(props: CallBodyProps) {
  const { agent, denied, instead } = props.call;
  return (
    <>
      {agent ? <Agent run={agent} /> : null}
      <Body {...props} />
      {denied === undefined ? null : <p class="note warning">{denied}</p>}
      {instead === undefined || instead === "" ? null : <p class="note">Instead: {instead}</p>}
    </>
  );
}

function Agent({ run: { calls, seen, tokens } }: { readonly run: SubagentProgress }) {
  return (
    <ul class="agent">
      {seen > calls.length ? <li class="dim">{seen - calls.length} earlier calls</li> : null}
      {calls.map(({ id, label, state, run }) => (
        <li key={id} class={state}>
          <span class="tool">{showRow(label.name)}</span> <span class="mono">{showRow(label.title ?? "")}</span>
          {run ? <Agent run={run} /> : null}
        </li>
      ))}
      {tokens === undefined ? null : <li class="dim">{tokens.toLocaleString("en")} tokens</li>}
    </ul>
  );
}

function Body({ call: { name, input, result }, live, pictures }: CallBodyProps) {
  const asked = name === "AskUserQuestion" ? readQuestions(input) : undefined;
  if (asked && result && !result.isError)
    return <Answers questions={asked.map(({ question }) => question)} output={result.output} />;
  const report = isAgentCall(name) ? textIn(result?.output) : "";
  const patch = result === undefined || result.isError ? undefined : patchOfResult(input, result.output);
  return (
    <div class="call-body">
      {patch ? <Diff patch={patch} folds /> : <Input input={input} />}
      {live === "" ? null : (
        <pre class="output" tabIndex={0} aria-label="Output so far">
          <Printed text={live} />
        </pre>
      )}
      <Images urls={pictures} />
      {report === "" ? null : (
        <div class="report">
          <MarkdownOf text={report} />
        </div>
      )}
      {result === undefined || patch || report !== "" || (result.text === "" && pictures.length > 0) ? null : (
        <pre class={result.isError ? "output error" : "output"} tabIndex={0}>
          <Printed text={cut(result.text) || (result.images > 0 ? `${result.images} images` : "No output")} />
        </pre>
      )}
    </div>
  );
}

interface AnswersProps {
  readonly questions: readonly string[];
  /** Of the tool. */
  readonly output: unknown;
}

function Answers({ questions, output }: AnswersProps) {
  const answers = isObject(output) ? output["answers"] : undefined;
  return (
    <dl class="call-body answers">
      {questions.map((question, at) => {
        const answer = isObject(answers) ? answers[question] : undefined;
        return (
          <div key={at}>
            <dt>{showAll(question)}</dt>
            <dd>{typeof answer === "string" ? showAll(answer) : <span class="dim">No answer</span>}</dd>
          </div>
        );
      })}
    </dl>
  );
}

/** What a subagent reports, without what is added to it for the model. */
function textIn(output: unknown): string {
  const content = isObject(output) ? output["content"] : undefined;
  const texts = Array.isArray(content)
    ? content.filter((block): block is ContentBlock => isObject(block)).filter(isText)
    : [];
  return texts.map(({ text }) => text).join("\n\n");
}

/** All of it: whoever decides about a call must see what would run. */
export function Input({ input }: { readonly input: JsonObject }) {
  const { command, description, ...named } = input;
  const isNoted = typeof command === "string" && typeof description === "string";
  const rest = isNoted || description === undefined ? named : { ...named, description };
  const others = listArguments(rest, { whole: true });
  return (
    <>
      {typeof command === "string" ? (
        <pre class="command" tabIndex={0}>
          <Code text={showAll(command)} language="bash" />
        </pre>
      ) : null}
      {isNoted ? <p class="why">{showAll(description)}</p> : null}
      {others === "" ? null : (
        <pre class="input" tabIndex={0}>
          {showAll(others)}
        </pre>
      )}
    </>
  );
}

const MOST_CHARS = 20_000;

const cut = (text: string) =>
  text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS)}\n… ${text.length - MOST_CHARS} more characters`;
