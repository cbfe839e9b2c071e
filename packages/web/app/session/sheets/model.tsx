// The model and its effort, what fills its context, and what the session cost so far.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { ReplyTo } from "@keelson/protocol";
import { showRow } from "../../transcript/visible.ts";
import { dollars } from "../prompt/choices.tsx";
import { Failure, useAttempt } from "./attempt.tsx";
import type { SheetProps } from "./sheet.tsx";

type OfferedModel = ReplyTo<"list_models">["models"][number];

interface Numbers {
  readonly context: ReplyTo<"get_context_usage">;
  readonly usage: ReplyTo<"get_usage">["session"];
}

const NO_LEVEL = "default";

export function Model({ session }: SheetProps) {
  const models = useSignal<readonly OfferedModel[]>([]);
  const numbers = useSignal<Numbers | undefined>(undefined);
  /** Until it is in force. */
  const wanted = useSignal<string | undefined>(undefined);
  const attempt = useAttempt();
  const { requests } = session;
  const read = async () => {
    const [{ models: offered }, context, { session: usage }] = await Promise.all([
      requests.request("list_models"),
      requests.request("get_context_usage", {}),
      requests.request("get_usage", { skip_behaviors: true }),
    ]);
    models.value = offered;
    numbers.value = { context, usage };
  };
  const change = (work: () => Promise<unknown>) =>
    void attempt
      .run(async () => {
        await work();
        await session.readFacts();
        await read();
      })
      .then(() => (wanted.value = undefined));
  useEffect(() => void attempt.run(read), []);
  const facts = session.facts.value;
  const current = inForce(models.value, facts?.model.id);
  const levels = current?.supportedEffortLevels ?? [];
  return (
    <>
      <fieldset disabled={session.isViewer.value || attempt.isBusy.value}>
        <legend class="hidden">Model</legend>
        {models.value.map((model) => (
          <label key={model.value} class="option">
            <input
              type="radio"
              name="model"
              checked={model.value === (wanted.value ?? current?.value)}
              onChange={() => {
                wanted.value = model.value;
                change(() => requests.request("set_model", { model: model.value }));
              }}
            />
            <span>
              {showRow(model.displayName)} <span class="dim">{showRow(model.description)}</span>
            </span>
          </label>
        ))}
        {levels.length === 0 ? null : (
          <label class="effort">
            Effort
            <select
              value={facts?.effort ?? NO_LEVEL}
              onChange={({ currentTarget: { value } }) =>
                change(() =>
                  requests.request("apply_flag_settings", {
                    settings: { effortLevel: value === NO_LEVEL ? null : value },
                  }),
                )
              }
            >
              {[NO_LEVEL, ...levels].map((level) => (
                <option key={level} value={level}>
                  {level}
                </option>
              ))}
            </select>
          </label>
        )}
      </fieldset>
      <Failure of={attempt} />
      {numbers.value === undefined ? null : <Context {...numbers.value} />}
    </>
  );
}

/** The first one stands for whatever is in force, so the others go before it. */
const inForce = (models: readonly OfferedModel[], id: string | undefined) =>
  models.findLast(({ resolvedModel }) => resolvedModel === id);

function Context({ context, usage }: Numbers) {
  const { categories, totalTokens, maxTokens, percentage } = context;
  const used = categories.filter(({ kind, tokens }) => kind === "used" && tokens > 0);
  return (
    <>
      <h3>Context</h3>
      <meter min={0} optimum={0} max={maxTokens} high={maxTokens * 0.8} value={totalTokens}>
        {percentage} %
      </meter>
      <p class="dim">
        {count(totalTokens)} of {count(maxTokens)} tokens, {percentage} %
      </p>
      <table class="numbers">
        <tbody>
          {used.map(({ name, tokens }) => (
            <tr key={name}>
              <th scope="row">{showRow(name)}</th>
              <td>{count(tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <h3>Cost</h3>
      <table class="numbers">
        <tbody>
          {Object.entries(usage.model_usage).map(([model, { inputTokens, outputTokens, costUSD }]) => (
            <tr key={model}>
              <th scope="row">{showRow(model)}</th>
              <td>{count(inputTokens)} in</td>
              <td>{count(outputTokens)} out</td>
              <td>{costUSD === null ? "" : dollars(costUSD)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">All</th>
            <td />
            <td />
            <td>{usage.total_cost_usd === null ? "unknown" : dollars(usage.total_cost_usd)}</td>
          </tr>
        </tbody>
      </table>
    </>
  );
}

const count = (tokens: number) => tokens.toLocaleString("en");
