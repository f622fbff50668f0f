import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Clock,
  createHost,
  type Host,
  type Message,
  type ModelRef,
  type Plugin,
  type Prompt,
  type Session,
} from '@varve/core';
import { strata } from '@varve/preset-strata';
import { type Contender, interleave, spreadOf } from '../../interleave.ts';
import { againstLimit, againstPeer, type Measurement } from '../../measured/compared.ts';
import { type ComparisonRow, milliseconds } from '../../measured/comparison-row.ts';
import { createEntryMaker } from '../../storage/data/entry-maker.ts';
import { loadPeer } from '../../storage/peers/load-peer.ts';
import { loadLangChain } from '../peers/langchain.ts';
import type { SpeedWorkload } from '../speed-bench.ts';

const model: ModelRef = { provider: 'bench', model: 'bench-1' };

/** Every fourth is a tool's answer: 200 of them. */
const messages = 800;
const manyMessages = 1_600;
const peerMessages = 4_000;
const budgetOf = (count: number): number => count * 400;

const query = 'Which file did we say is written the slowest, and what was its timeout?';

/** B8: a prompt with the five plugins of the recommended set, of which one prunes the old tool results. */
export const assembleWithPluginsWorkload: SpeedWorkload = {
  id: 'B8',
  title: 'assemble with five plugins, most of 200 tool results pruned',
  run: async (bench) => {
    const plugins = strata({ memory: { dir: workspace(bench.folder('workspace')) } });
    const own = await open('varve', { plugins, count: messages });
    const bare = await open('no plugin', { plugins: [], count: messages });
    const twice = await open(`varve, ${manyMessages} messages`, { plugins, count: manyMessages });
    const alone = [];
    for (const plugin of plugins) alone.push(await open(plugin.name, { plugins: [plugin], count: messages }));
    const langChain = await loadPeer('LangChain ClearToolUsesEdit', () => clearContenders());
    bench.say('  measuring …');
    const opened = [own, bare, twice, ...alone];
    const contenders = [...opened.map(({ contender }) => contender), ...(langChain.peer ?? [])];
    const measured = await interleave(contenders, bench.often);
    for (const { host } of opened) await host.close();
    const measurement: Measurement = { workload: 'B8', measured, own: 'varve' };
    const [small, large] = langChain.peer ?? [];
    return {
      rows: [
        ...(large === undefined ? [] : [againstPeer(measurement, large.name, { must: 40, goal: 100 })]),
        ...(small === undefined ? [] : [againstPeer(measurement, small.name)]),
        partsRow(measurement, { bare: bare.contender.name, alone: alone.map(({ contender }) => contender.name) }),
        againstLimit(measurement, 'no plugin'),
        { ...linearRow(measurement, twice.contender.name), must: 3 },
      ],
      missing: langChain.missing === null ? [] : [langChain.missing],
      notes: [
        `Pruned: ${own.pruned} tool results of ${messages} messages; plugins ${plugins.map(({ name }) => name).join(', ')}. ` +
          'Each prompt is a dry run, an hour after the last request: all is pruned anew, and the workspace is read.',
      ],
    };
  },
};

interface Opened {
  readonly host: Host;
  readonly contender: Contender;
  /** Tool results that are edited or cleared in a prompt. */
  readonly pruned: number;
}

async function open(
  name: string,
  { plugins, count }: { readonly plugins: readonly Plugin[]; readonly count: number },
): Promise<Opened> {
  const time = movableClock();
  const host = await createHost({
    plugins,
    clock: time.clock,
    budget: { inputTokens: budgetOf(count) },
    random: () => 0.5,
  });
  const session = await host.open('session');
  for (const message of conversation(count)) await session.ingest(message);
  await session.assemble({ model, dryRun: true });
  time.now += 3_600_000;
  const pruned = await countPruned(session);
  const assemble = (): Promise<Prompt> => session.assemble({ model, query, dryRun: true });
  // Peers compute for a second in between, and code and caches are cold then.
  return { host, pruned, contender: { name, before: assemble, run: assemble } };
}

async function countPruned(session: Session): Promise<number> {
  const { manifest } = await session.assemble({ model, query, dryRun: true });
  return manifest.entries.filter(({ role, kind }) => role === 'tool' && kind !== 'kept').length;
}

/** A clock that is moved by hand: no deadline ends anything, however busy the machine is. */
function movableClock(): { now: number; readonly clock: Clock } {
  const time = {
    now: 1_767_225_600_000,
    clock: { now: () => time.now, after: () => () => undefined },
  };
  return time;
}

function conversation(count: number): readonly Message[] {
  return createEntryMaker({ seed: 5 })
    .messages(count)
    .map(({ message }) => message);
}

/** A workspace with some files and notes, as an agent has it after a while. */
function workspace(dir: string): string {
  mkdirSync(join(dir, 'memory'));
  const line = 'The gateway is restarted with `make gateway`, and its timeout is thirty seconds.\n';
  for (const name of ['AGENTS.md', 'USER.md', 'TOOLS.md', 'MEMORY.md']) writeFileSync(join(dir, name), line.repeat(40));
  for (let day = 1; day <= 9; day += 1) writeFileSync(join(dir, `memory/2025-12-0${day}.md`), line.repeat(20));
  return dir;
}

async function clearContenders(): Promise<readonly Contender[]> {
  const langChain = await loadLangChain();
  return [messages, peerMessages].map((count) => {
    const given = langChain.messagesOf(conversation(count));
    return {
      name: `LangChain ClearToolUsesEdit, ${count} messages`,
      run: async () => {
        if ((await langChain.clearToolUses(given)) === 0) throw new Error('ClearToolUsesEdit cleared nothing.');
      },
    };
  });
}

/** Ours against the sum of what a prompt costs without plugins and what each plugin adds to it alone. */
function partsRow(
  { measured, own }: Measurement,
  { bare, alone }: { readonly bare: string; readonly alone: readonly string[] },
): ComparisonRow {
  const without = measured.times(bare);
  const sums = without.map((ms, round) =>
    alone.reduce((sum, name) => sum + Math.max(0, (measured.times(name)[round] ?? 0) - ms), ms),
  );
  const name = 'sum of its parts';
  return {
    workload: 'B8',
    name,
    what: `ours / ${name}`,
    figure: spreadOf(measured.times(own).map((ms, round) => ms / (sums[round] ?? Number.NaN))),
    unit: '×',
    better: 'less',
    goal: 2,
    detail: [bare, ...alone].map((part) => `${part} ${milliseconds(measured.spread(part).median)}`).join(', '),
  };
}

/** Twice as many messages may take twice as long, and something for the noise. */
function linearRow({ workload, measured, own }: Measurement, large: string): ComparisonRow {
  const figure = measured.ratio(large, own);
  return { workload, name: large, what: `${large} / ${messages}`, figure, unit: '×', better: 'less' };
}
