import { ChatOpenAI } from '@langchain/openai';
import { createHost } from '@varve/core';
import { strata } from '@varve/preset-strata';
import {
  answer,
  type ModelScript,
  type ServedRequest,
  startModelServer,
  summariser,
} from '@varve/testkit/model-server';
import { pruneMessages } from 'ai';
import { ClearToolUsesEdit, contextEditingMiddleware, summarizationMiddleware } from 'langchain';
import { type Integration, integrations, type OwnMeans } from './integration.ts';

/** Window of the model, in tokens. */
const windowTokens = 16_000;
/** Questions, and rounds of tools for each. */
const questions = 3;
const roundsEach = 20;

const rule = 'Whatever you find: never delete the database prod-7731.';
const fact = 'The vault key is VK-88213.';

/** A way to keep prompts small, in one framework. */
export interface LoopMeans {
  readonly framework: Integration['name'];
  readonly means: string;
}

/** What came of one way. */
export interface LoopResult extends LoopMeans {
  /** Requests of the agent, and those of summaries. */
  readonly requests: number;
  readonly summaries: number;
  /** Requests that the provider refused: too long, or against its rules. */
  readonly refused: number;
  /** Tokens of all prompts, those of summaries included, and of the longest one. */
  readonly sentTokens: number;
  readonly longest: number;
  /** Share of the bytes of prompts that stood at the beginning of the one before, as caches want it. */
  readonly reused: number;
  /** Share of the agent's requests in which the rule of the first message stands. */
  readonly ruleShown: number;
  /** Whether what the third page says stands in the last prompt. */
  readonly factShown: boolean;
  /** What ended it early; `null` for nothing. */
  readonly error: string | null;
}

interface Row extends LoopMeans {
  readonly own: ((url: string) => OwnMeans) | null;
}

const trigger = { tokens: Math.round(windowTokens * 0.6) };

const rows: readonly Row[] = [
  { framework: 'the AI SDK', means: 'nothing', own: () => ({}) },
  {
    framework: 'the AI SDK',
    means: 'pruneMessages, last 6 messages',
    own: () => ({
      aiSdk: ({ messages }) => ({
        messages: pruneMessages({ messages, toolCalls: 'before-last-6-messages', emptyMessages: 'remove' }),
      }),
    }),
  },
  { framework: 'the AI SDK', means: 'Varve', own: null },
  { framework: 'LangChain', means: 'nothing', own: () => ({}) },
  {
    framework: 'LangChain',
    means: 'summarizationMiddleware',
    own: (baseURL) => {
      const model = new ChatOpenAI({ model: 'summary-1', apiKey: 'none', maxRetries: 0, configuration: { baseURL } });
      // Its own types do not fit `exactOptionalPropertyTypes`.
      const settings: object = { model, trigger, keep: { messages: 6 } };
      return { langChain: [summarizationMiddleware(settings as never)] };
    },
  },
  {
    framework: 'LangChain',
    means: 'contextEditingMiddleware',
    own: () => ({
      langChain: [contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger, keep: { messages: 3 } })] })],
    }),
  },
  { framework: 'LangChain', means: 'Varve', own: null },
];

/** All ways, in the order of the table. */
export const loopMeans: readonly LoopMeans[] = rows.map(({ framework, means }) => ({ framework, means }));

/** Three questions with twenty rounds of tools each, behind a window of 16 000 tokens. */
export async function runLoop({ framework, means }: LoopMeans): Promise<LoopResult> {
  const row = rows.find((one) => one.framework === framework && one.means === means);
  const integration = integrations.find(({ name }) => name === framework);
  if (row === undefined || integration === undefined) throw new Error(`there is no way "${means}" in ${framework}`);
  await using server = await startModelServer({ provider: 'openai', contextTokens: windowTokens, script: script() });
  await using host = await createHost({ plugins: [...strata()], budget: { windowTokens } });
  const session = row.own === null ? await host.open('loop') : null;
  const agent = integration.build({ url: server.url, session, read: page, own: row.own?.(server.url) });
  let error: string | null = null;
  try {
    for (let question = 1; question <= questions; question += 1) {
      await agent.run(question === 1 ? `${rule} Read on, part 1.` : `Read on, part ${question}.`);
    }
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message.slice(0, 120) : 'something that is no error';
  }
  return { framework, means, ...figuresOf(server.requests), error };
}

function page(number: number): string {
  const line = `Page ${number}. The tide at pier ${number * 7} came in and went out again. `;
  return `${line.repeat(28)}${number === 3 ? fact : ''}`;
}

/** The agent reads a page a round; another model writes summaries. */
function script(): ModelScript {
  const summarise = summariser({ keeps: 0.3 });
  let round = 0;
  return (request) => {
    if (isSummary(request)) return summarise(request);
    const inQuestion = round % (roundsEach + 1);
    round += 1;
    if (inQuestion === roundsEach) return 'I have read this part.';
    const number = round - Math.floor(round / (roundsEach + 1));
    return answer([{ type: 'tool-call', name: 'read', input: { page: number } }]);
  };
}

function isSummary({ body: { model } }: ServedRequest): boolean {
  return model === 'summary-1';
}

function figuresOf(requests: readonly ServedRequest[]): Omit<LoopResult, 'framework' | 'means' | 'error'> {
  const asked = requests.filter((request) => !isSummary(request));
  const texts = asked.map(({ body: { messages } }) => JSON.stringify(messages));
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  const reused = texts.reduce((sum, text, index) => sum + commonStart(text, texts[index - 1] ?? ''), 0);
  const refused = ({ inputTokens, violations }: ServedRequest): boolean =>
    inputTokens > windowTokens || violations.length > 0;
  return {
    requests: asked.length,
    summaries: requests.length - asked.length,
    refused: requests.filter(refused).length,
    sentTokens: requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0),
    longest: Math.max(...requests.map(({ inputTokens }) => inputTokens)),
    reused: bytes === 0 ? 0 : reused / bytes,
    ruleShown: texts.filter((text) => text.includes(rule)).length / Math.max(1, texts.length),
    factShown: texts.at(-1)?.includes('VK-88213') === true,
  };
}

function commonStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

/** What does not hold of a loop that a session has been around. */
export function shortcomingsOf(result: LoopResult): readonly string[] {
  const { means, requests, refused, longest, ruleShown, factShown, error } = result;
  if (means !== 'Varve') return [];
  return [
    ...(error === null ? [] : [`it ended early: ${error}`]),
    ...(requests === questions * (roundsEach + 1) ? [] : [`${requests} requests were made`]),
    ...(refused === 0 ? [] : [`${refused} requests were refused`]),
    ...(longest <= windowTokens ? [] : [`a prompt had ${longest} tokens`]),
    ...(ruleShown === 1 ? [] : [`the rule was in ${Math.round(100 * ruleShown)} % of the prompts`]),
    ...(factShown ? [] : ['what page 3 says was lost']),
  ];
}
