import { createHost, type Message, type Tool } from '@varve/core';
import { manualClock } from '@varve/testkit';
import { answer, failure, type ModelScript, startModelServer } from '@varve/testkit/model-server';
import type { ModelApi } from './model-apis.ts';
import { usualPlugins } from './run-session.ts';
import { boundedSummariser, byModel, modelOf } from './scripted-agent.ts';
import { toolOutput } from './tool-output.ts';

/** Where in a turn the prompt is too long. */
export const overflowPlaces = ['first call', 'after the tool'] as const;

/** What became of a turn in which a prompt was too long. JSON. */
export interface OverflowResult {
  readonly api: ModelApi['name'];
  readonly place: (typeof overflowPlaces)[number];
  /** Whether the provider says it of a prompt that fits, or it is true and nobody knew the window. */
  readonly told: boolean;
  readonly status: string;
  /** How often the tool ran: its effect cannot be taken back. */
  readonly effects: number;
  readonly recovered: number;
  readonly refused: number;
  readonly malformed: readonly string[];
  /** Whether the last prompt holds the user's words and the result of the tool. */
  readonly isWhole: boolean;
}

const question = 'Charge the customer for the order ord_77310, once.';
const charged = 'charged ord_77310 with receipt rcpt_99120';
const contextTokens = 32_000;

/** Plays one turn that calls a tool with an effect, over a long history. */
export async function runOverflow(
  api: ModelApi,
  { place, told }: Pick<OverflowResult, 'place' | 'told'>,
): Promise<OverflowResult> {
  let effects = 0;
  // The true overflow of the tool's own result has to come on top of a prompt that fits.
  const chars = told || place === 'first call' ? 0 : 40_000;
  const charge: Tool = {
    name: 'charge',
    description: 'Charges a customer.',
    inputSchema: { type: 'object', properties: { order: { type: 'string' } } },
    execute: async () => {
      effects += 1;
      return { type: 'text', value: `${charged}\n${toolOutput('ledger.ts', { seed: 1, chars })}` };
    },
  };
  const clock = manualClock();
  const script = byModel({
    agent: chargingAgent(place, told),
    summary: boundedSummariser(),
    second: boundedSummariser(),
  });
  await using server = await startModelServer({
    provider: api.provider,
    contextTokens,
    countFactor: 1.15,
    clock,
    script,
  });
  const models = [api.port(server, 'summary'), api.port(server, 'second')];
  const budget = told ? { contextTokens } : {};
  await using host = await createHost({ clock, budget, plugins: usualPlugins(models) });
  const session = await host.open('s');
  for (const message of historyOf(told ? 12 : place === 'first call' ? 40 : 18)) await session.ingest(message);
  const message: Message = { role: 'user', content: question };
  const record = await session.turn({ message, model: api.port(server, 'agent'), tools: [charge] });
  const asked = server.requests.filter(({ body }) => modelOf({ body }) === 'agent');
  const last = JSON.stringify(asked.at(-1)?.body);
  return {
    api: api.name,
    place,
    told,
    status: record.status,
    effects,
    recovered: record.overflowsRecovered,
    refused: asked.length - record.steps.length,
    malformed: server.requests.flatMap(({ violations }) => violations.map(({ rule }) => rule)),
    isWhole: last.includes(question) && last.includes(charged),
  };
}

/** Calls the tool, and answers when it has its result. Says once, where it is asked to, that the prompt is too long. */
function chargingAgent(place: OverflowResult['place'], told: boolean): ModelScript {
  let complaints = told ? 1 : 0;
  return ({ conversation }) => {
    const hasResult = conversation.messages.some(({ results }) => results.some(({ text }) => text.includes('rcpt_')));
    if (complaints > 0 && hasResult === (place === 'after the tool')) {
      complaints -= 1;
      return failure('overflow');
    }
    if (hasResult) return 'It is done: rcpt_99120.';
    return answer([{ type: 'tool-call', name: 'charge', input: { order: 'ord_77310' } }]);
  };
}

/** Exchanges of about 1 300 tokens each. */
function historyOf(exchanges: number): readonly Message[] {
  return Array.from({ length: exchanges }, (_, index): readonly Message[] => [
    { role: 'user', content: `Read part ${index} of the ledger.` },
    { role: 'assistant', content: toolOutput(`ledger-${index}.ts`, { seed: index + 10, chars: 4_000 }) },
  ]).flat();
}
