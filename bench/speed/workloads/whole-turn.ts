import { cpSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AssistantMessage,
  createHost,
  type Host,
  type Message,
  type ModelPort,
  type ModelRef,
  type Session,
  type Tool,
  type ToolMessage,
} from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { type Contender, interleave } from '../../interleave.ts';
import { againstLimit, againstPeer, type Limits, type Measurement } from '../../measured/compared.ts';
import type { ComparisonRow, MissingPeer } from '../../measured/comparison-row.ts';
import { type History, historySession, makeHistory } from '../../storage/data/histories.ts';
import { loadLangGraph } from '../../storage/peers/langgraph.ts';
import { loadPeer } from '../../storage/peers/load-peer.ts';
import { loadPi, type PiSession } from '../../storage/peers/pi.ts';
import { collectRubbish } from '../collect-rubbish.ts';
import type { SpeedBench, SpeedWorkload } from '../speed-bench.ts';

const ref: ModelRef = { provider: 'bench', model: 'bench-1' };
const compaction = { before: 200, kept: 40 } as const;
const shortHistory = 1_000;

/** Turns of another session of the same host before each round: a host that serves several is not cold. */
const warmingTurns = 30;

const graphTurns = ({ isQuick }: SpeedBench): number => (isQuick ? 100 : 1_000);

const question: Message = { role: 'user', content: 'And what does the third of these files do?' };
const finding = 'export function third(): number {\n  return 3;\n}\n'.repeat(20);
const input = { path: 'src/third.ts' };
const call = (toolCallId: string): AssistantMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName: 'read', input }],
  stop: 'tool-calls',
});
const answer: AssistantMessage = { role: 'assistant', content: 'It returns three.', stop: 'stop' };
const output = { type: 'text', value: finding } as const;

/** B14: a question, a call of a tool, its result, the answer. The model and the tool answer at once. */
export const wholeTurnWorkload: SpeedWorkload = {
  id: 'B14',
  title: 'whole turn with one call of a tool',
  run: async (bench) => {
    bench.say(`  writing histories of ${shortHistory} and ${bench.longHistory} entries …`);
    const long = await makeHistory({ folder: bench.folder('history'), entries: bench.longHistory, compaction });
    const short = await makeHistory({ folder: bench.folder('history'), entries: shortHistory, compaction });
    const opened = await openAll(bench, { long, short });
    const pi = await loadPeer('pi, not durable', () => piContender(bench, long));
    const graph = await loadPeer('LangGraph and SqliteSaver', () => graphContender(bench));
    bench.say('  measuring …');
    const { own, durable } = opened;
    const withPi = pi.peer === null ? [] : [pi.peer];
    const withGraph = graph.peer === null ? [] : [graph.peer];
    const measured = await interleave([...own.map(({ contender }) => contender), ...withPi], {
      ...bench.often,
    });
    // What waits for a disk is timed by the clock on the wall.
    const how = { ...bench.often, time: 'wall' } as const;
    const synced = await interleave([durable.contender, ...withPi, ...withGraph], how);
    for (const { host } of [...own, durable]) await host.close();
    const measurement: Measurement = { workload: 'B14', measured, own: 'varve' };
    const onDisk: Measurement = { workload: 'B14', measured: synced, own: durable.contender.name, of: 'durable' };
    const against = (from: Measurement, peers: readonly Contender[], limits: Limits): ComparisonRow[] =>
      peers.map(({ name }) => againstPeer(from, name, limits));
    return {
      rows: [
        ...against(measurement, withPi, { must: 400, goal: 1_000 }),
        ...against(onDisk, withPi, {}),
        ...against(onDisk, withGraph, { goal: 100 }),
        againstLimit(measurement, 'its parts by hand', { goal: 1.5 }),
        againstLimit(measurement, `varve, ${shortHistory} entries`, { must: 1.5, goal: 1.3 }),
      ],
      missing: [pi, graph].flatMap(({ missing }): MissingPeer[] => (missing === null ? [] : [missing])),
      notes: [
        `${bench.longHistory} entries. Ours makes two prompts a turn, pi one, and keeps a record of the session besides; ` +
          `between rounds, another session of the same host takes ${warmingTurns} turns. LangGraph has ${graphTurns(bench)} turns behind it, and each turn is one question and its answer.`,
      ],
    };
  },
};

interface Opened {
  readonly host: Host;
  readonly contender: Contender;
}

/** Each with a store of its own: a journal has one writer. */
async function openAll(
  bench: SpeedBench,
  { long, short }: { readonly long: History; readonly short: History },
): Promise<{ readonly own: readonly Opened[]; readonly durable: Opened }> {
  const copyOf = ({ root }: History): string => {
    const copy = join(bench.folder('copy'), 'store');
    cpSync(root, copy, { recursive: true });
    return copy;
  };
  return {
    own: [
      await open('varve', { root: copyOf(long), durability: 'os', turn: turns(5) }),
      await open(`varve, ${shortHistory} entries`, { root: short.root, durability: 'os', turn: turns(5) }),
      await open('its parts by hand', { root: copyOf(long), durability: 'os', turn: byHand(5) }),
    ],
    durable: await open('varve, durable', { root: long.root, durability: 'fsync', turn: turns(5) }),
  };
}

interface Turns {
  /** In one run. */
  readonly count: number;
  readonly run: (session: Session) => Promise<unknown>;
}

async function open(
  name: string,
  how: { readonly root: string; readonly durability: 'os' | 'fsync'; readonly turn: Turns },
): Promise<Opened> {
  const { root, durability, turn } = how;
  const host = await createHost({ store: jsonlStore({ root, durability }), budget: { inputTokens: 200_000 } });
  const session = await host.open(historySession);
  const other = await host.open('other');
  const takeTurns = async (within: Session, count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) await turn.run(within);
  };
  // Peers compute for a second in between, and code and caches are cold then.
  const before = async (): Promise<void> => {
    collectRubbish();
    await takeTurns(other, warmingTurns);
    await takeTurns(session, turn.count);
  };
  return { host, contender: { name, operations: turn.count, before, run: () => takeTurns(session, turn.count) } };
}

function turns(count: number): Turns {
  const model = modelPort();
  return { count, run: (session) => session.turn({ message: question, model, tools: [tool] }) };
}

const tool: Tool = {
  name: 'read',
  description: 'Reads a file.',
  inputSchema: { type: 'object' },
  execute: async () => output,
};

/** Calls the tool, then answers. */
function modelPort(): ModelPort {
  let calls = 0;
  return {
    ref,
    generate: async ({ prompt }) => {
      const isAsked = prompt.messages.at(-1)?.role === 'user';
      if (!isAsked) return { message: answer, usage: null };
      calls += 1;
      return { message: call(`call_${calls}`), usage: null };
    },
  };
}

/** What a turn consists of, without the loop around it. */
function byHand(count: number): Turns {
  let calls = 0;
  return {
    count,
    run: async (session) => {
      calls += 1;
      const toolCallId = `call_${calls}`;
      const result: ToolMessage = {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName: 'read', output }],
      };
      await session.ingest(question);
      await session.assemble({ model: ref });
      await session.ingest(call(toolCallId));
      await session.ingest(result);
      await session.assemble({ model: ref });
      await session.ingest(answer);
    },
  };
}

async function piContender(bench: SpeedBench, { piFile }: History): Promise<Contender> {
  const sessions = await loadPi();
  bench.say('  opening the same history with pi …');
  const session = sessions.open(piFile, bench.folder('pi'));
  return { name: 'pi, not durable', run: () => piTurn(session) };
}

/** The four messages of the turn, and the context of its first model call. */
function piTurn(session: PiSession): void {
  const timestamp = 1_750_000_000_000;
  const said = { role: 'assistant', api: 'bench', provider: 'bench', model: 'bench-1', usage: {}, timestamp } as const;
  const textOf = (text: string): readonly object[] => [{ type: 'text', text }];
  session.appendMessage({ role: 'user', content: textOf(String(question.content)), timestamp });
  session.buildSessionContext();
  const toolCall = { type: 'toolCall', id: 'call_1', name: 'read', arguments: input };
  session.appendMessage({ ...said, content: [toolCall], stopReason: 'toolUse' });
  const result = { toolCallId: 'call_1', toolName: 'read', content: textOf(finding), isError: false };
  session.appendMessage({ role: 'toolResult', ...result, timestamp });
  session.appendMessage({ ...said, content: textOf(String(answer.content)), stopReason: 'stop' });
}

async function graphContender(bench: SpeedBench): Promise<Contender> {
  const { begin } = await loadLangGraph();
  bench.say(`  writing ${graphTurns(bench)} turns with LangGraph …`);
  const thread = await begin(join(bench.folder('langgraph'), 'thread.db'), graphTurns(bench));
  return { name: 'LangGraph and SqliteSaver', run: () => thread.turn() };
}
