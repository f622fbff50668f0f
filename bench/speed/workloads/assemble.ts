import {
  createHost,
  type Host,
  type Message,
  type ModelRef,
  type Prompt,
  type Session,
  type TokenCounter,
  tableCounter,
} from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { type Contender, interleave, PartlyMeasured, readTime, spreadOf } from '../../interleave.ts';
import { againstLimit, againstPeer, type Measurement } from '../../measured/compared.ts';
import type { ComparisonRow, MissingPeer } from '../../measured/comparison-row.ts';
import { createEntryMaker } from '../../storage/data/entry-maker.ts';
import { type History, historySession, makeHistory } from '../../storage/data/histories.ts';
import { loadPeer } from '../../storage/peers/load-peer.ts';
import { loadPi } from '../../storage/peers/pi.ts';
import { collectRubbish } from '../collect-rubbish.ts';
import { loadLangChain } from '../peers/langchain.ts';
import type { SpeedBench, SpeedWorkload } from '../speed-bench.ts';

const model: ModelRef = { provider: 'bench', model: 'bench-1' };
const inputTokens = 200_000;

/** Messages after the only compaction of a history, and before it that stay: together nearly all that the budget holds. */
const compaction = { before: 480, kept: 40 } as const;
const shortHistory = 1_000;

/** Messages of the peers that know no compaction. */
const peerMessages = 4_000;

/** Prompts that one run makes, each after a message more. */
const prompts = 10;

/**
 * Prompts of another session of the same host before each round: peers compute for a second in between, code and caches
 * are cold then, and a host that serves several sessions is not.
 */
const warmingPrompts = 40;

const question: Message = { role: 'user', content: 'And what does the third of these files do?' };
const answer: Message = { role: 'assistant', content: 'It reads what the second has written.' };

/** B7: a prompt of a long conversation. */
export const assembleWorkload: SpeedWorkload = {
  id: 'B7',
  title: 'assemble, budget of 200,000 tokens',
  run: async (bench) => {
    bench.say(`  writing histories of ${shortHistory} and ${bench.longHistory} entries …`);
    const history = (entries: number): Promise<History> =>
      makeHistory({ folder: bench.folder('history'), entries, compaction });
    const long = await history(bench.longHistory);
    const short = await history(shortHistory);
    const own = await openOurs('varve', long);
    const ownShort = await openOurs(`varve, ${shortHistory} entries`, short);
    const pi = await loadPeer('pi buildSessionContext', () => piContender(bench, long));
    const trim = await loadPeer('LangChain trimMessages', trimContender);
    const prune = await loadPeer('AI SDK pruneMessages', () => pruneContender(bench.longHistory));
    bench.say('  measuring …');
    const limits = limitsOf(own.prompt);
    const peers = [pi.peer, trim.peer, prune.peer].flatMap((peer) => (peer === null ? [] : [peer]));
    const contenders = [own.contender, ownShort.contender, ...limits, ...peers];
    const measured = await interleave(contenders, {
      ...bench.often,
      rounds: bench.isQuick ? 3 : 7,
    });
    await Promise.all([own.host.close(), ownShort.host.close()]);
    const measurement: Measurement = { workload: 'B7', measured, own: 'varve' };
    const against = (name: string, goals: { must?: number; goal?: number }): ComparisonRow[] =>
      peers.some((peer) => peer.name === name) ? [againstPeer(measurement, name, goals)] : [];
    return {
      rows: [
        ...against('pi buildSessionContext', { must: 400, goal: 1_000 }),
        ...against('LangChain trimMessages', { must: 1_000, goal: 5_000 }),
        ...against('AI SDK pruneMessages', {}),
        againstLimit(measurement, 'slice of the kept messages', { goal: 3 }),
        againstLimit(measurement, 'JSON of the kept messages'),
        againstLimit(measurement, ownShort.contender.name, { must: 1.5 }),
        recountedRow(own.counted),
      ],
      missing: [pi, trim, prune].flatMap(({ missing }): MissingPeer[] => (missing === null ? [] : [missing])),
      notes: [
        `${long.entries} entries, ${own.prompt.messages.length} messages in the prompt; ` +
          `trimMessages has ${peerMessages} messages, the others all ${long.entries}.`,
      ],
    };
  },
};

interface Ours {
  readonly host: Host;
  readonly contender: Contender;
  /** The first prompt. */
  readonly prompt: Prompt;
  readonly counted: Counted;
}

/** Messages whose tokens were counted while prompts were made. */
interface Counted {
  isAssembling: boolean;
  messages: number;
}

async function openOurs(name: string, { root }: History): Promise<Ours> {
  const store = jsonlStore({ root, durability: 'os' });
  const counted: Counted = { isAssembling: false, messages: 0 };
  const host = await createHost({ store, tokens: countingCounter(counted), budget: { inputTokens } });
  const session = await host.open(historySession);
  const prompt = await session.assemble({ model });
  const other = await host.open('other');
  const before = async (): Promise<void> => {
    collectRubbish();
    await afterEachQuestion(other, { counted, count: warmingPrompts });
  };
  const run = (): Promise<PartlyMeasured> => afterEachQuestion(session, { counted, count: prompts });
  return { host, prompt, counted, contender: { name, operations: prompts, before, run } };
}

/** Only the making of prompts counts; in between somebody asks and is answered. */
async function afterEachQuestion(
  session: Session,
  { counted, count }: { readonly counted: Counted; readonly count: number },
): Promise<PartlyMeasured> {
  let ms = 0;
  for (let at = 0; at < count; at += 1) {
    await session.ingest(question);
    counted.isAssembling = true;
    const startedAt = readTime('processor');
    await session.assemble({ model });
    ms += readTime('processor') - startedAt;
    counted.isAssembling = false;
    await session.ingest(answer);
  }
  return new PartlyMeasured(ms);
}

/** The default counter, which knows how often it was asked. */
function countingCounter(counted: Counted): TokenCounter {
  return {
    ...tableCounter,
    countMessage: (message, images) => {
      if (counted.isAssembling) counted.messages += 1;
      return tableCounter.countMessage(message, images);
    },
  };
}

function recountedRow({ messages }: Counted): ComparisonRow {
  const name = 'messages counted again';
  return { workload: 'B7', name, what: name, figure: spreadOf([messages]), unit: 'count', better: 'less', must: 0 };
}

async function piContender(bench: SpeedBench, { piFile }: History): Promise<Contender> {
  const sessions = await loadPi();
  bench.say('  opening the same history with pi …');
  const session = sessions.open(piFile, bench.folder('pi'));
  const message = { role: 'user', content: [{ type: 'text', text: question.content }], timestamp: 1_750_000_000_000 };
  return {
    name: 'pi buildSessionContext',
    before: () => session.appendMessage(message),
    run: () => session.buildSessionContext(),
  };
}

async function trimContender(): Promise<Contender> {
  const langChain = await loadLangChain();
  const messages = langChain.messagesOf(conversation(peerMessages));
  return { name: 'LangChain trimMessages', run: () => langChain.trim(messages, inputTokens) };
}

async function pruneContender(count: number): Promise<Contender> {
  const { pruneMessages } = await import('ai');
  const messages = conversation(count) as unknown as Parameters<typeof pruneMessages>[0]['messages'];
  return {
    name: 'AI SDK pruneMessages',
    run: () =>
      pruneMessages({ messages, reasoning: 'all', toolCalls: 'before-last-2-messages', emptyMessages: 'remove' }),
  };
}

function conversation(count: number): readonly Message[] {
  return createEntryMaker({ seed: 5 })
    .messages(count)
    .map(({ message }) => message);
}

/** What cannot be done without, and what the request to the provider costs anyhow. */
function limitsOf({ messages }: Prompt): readonly Contender[] {
  const slices = 10_000;
  return [
    {
      name: 'slice of the kept messages',
      operations: slices,
      run: () => {
        let length = 0;
        for (let at = 0; at < slices; at += 1) length += messages.slice(at % 2).length;
        if (length === 0) throw new Error('Nothing was kept.');
      },
    },
    {
      name: 'JSON of the kept messages',
      run: () => {
        if (JSON.stringify(messages).length === 0) throw new Error('Nothing was kept.');
      },
    },
  ];
}
