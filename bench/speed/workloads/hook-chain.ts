import { createHost, type Delivery, definePlugin, type OptionsSchema, type Plugin } from '@varve/core';
import { askDelivery } from '@varve/core/host';
import { createHooks } from 'hookable';
import { AsyncSeriesWaterfallHook } from 'tapable';
import { type Contender, interleave } from '../../interleave.ts';
import { againstLimit, againstPeer, type Measurement } from '../../measured/compared.ts';
import type { ComparisonRow } from '../../measured/comparison-row.ts';
import type { SpeedBench, SpeedWorkload } from '../speed-bench.ts';

const taps = 10;
/** Chains of one round: enough of them for compilers to be done with all contenders, and for a clock to see. */
const chains = 5_000;

/** A function in a chain: it looks at the value and changes nothing. */
type Link = (value: unknown) => unknown;

/** B12: a chain of ten taps. Ours is the hook `deliver` as hosts run it: with deadline, own context, and isolation of each tap. */
export const hookChainWorkload: SpeedWorkload = {
  id: 'B12',
  title: `hook chain of ${taps} taps`,
  run: async (bench) => {
    const waiting = await rowsOf(bench, { kind: 'async', link: async () => undefined, must: 1.5 });
    const atOnce = await rowsOf(bench, { kind: 'sync', link: () => undefined, must: undefined });
    return {
      rows: [...waiting, ...atOnce],
      notes: [
        'Ours gives each tap a deadline, a context that is taken back, and a breaker; the others call functions.',
      ],
    };
  },
};

interface Kind {
  readonly kind: 'async' | 'sync';
  readonly link: Link;
  readonly must: number | undefined;
}

async function rowsOf({ often }: SpeedBench, { kind, link, must }: Kind): Promise<readonly ComparisonRow[]> {
  const ours = await guardedChain(link);
  const contenders = [ours.contender, directChain(link), tapableChain(link), hookableChain(link)];
  const measured = await interleave(contenders, often);
  await ours.close();
  const measurement: Measurement = { workload: 'B12', measured, own: 'varve', of: kind };
  return [
    againstPeer(measurement, 'hookable', { goal: kind === 'async' ? 3 : undefined }),
    againstLimit(measurement, 'direct awaits', { must, goal: kind === 'async' ? 1.15 : undefined }),
    againstLimit(measurement, 'tapable without a guard'),
  ];
}

const delivery: Delivery = {
  sessionKey: null,
  sessionId: 'chain',
  agentId: 'main',
  kind: 'reply',
  channel: null,
  chatType: null,
  recipient: null,
  addressed: null,
  provenance: null,
  text: 'Here it is.',
};

async function guardedChain(link: Link): Promise<{ readonly contender: Contender; close(): Promise<void> }> {
  const host = await createHost({ plugins: [chainPlugin(link)] });
  const session = await host.open('chain');
  return { contender: repeated('varve', () => askDelivery(session, delivery)), close: () => host.close() };
}

const noOptions: OptionsSchema<object, object> = {
  '~standard': { version: 1, vendor: 'varve-bench', validate: () => ({ value: {} }) },
};

function chainPlugin(link: Link): Plugin {
  const factory = definePlugin({
    name: 'chain',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: noOptions,
    apply: ({ hooks }) => {
      for (let tap = 1; tap <= taps; tap += 1) hooks.deliver.tapPromise(`look ${tap}`, link as () => undefined);
    },
  });
  return factory();
}

/** What somebody would write who needs neither names nor deadlines. */
function directChain(link: Link): Contender {
  const links = Array.from({ length: taps }, () => (value: unknown) => link(value));
  return repeated('direct awaits', async () => {
    let value: unknown = { allow: true };
    for (const one of links) value = (await one(value)) ?? value;
    return value;
  });
}

function tapableChain(link: Link): Contender {
  const hook = new AsyncSeriesWaterfallHook<[unknown]>(['value']);
  for (let tap = 1; tap <= taps; tap += 1) hook.tapPromise(`look ${tap}`, async (value) => link(value));
  return repeated('tapable without a guard', () => hook.promise({ allow: true }));
}

function hookableChain(link: Link): Contender {
  const hooks = createHooks<{ deliver: (value: unknown) => void }>();
  for (let tap = 1; tap <= taps; tap += 1) hooks.hook('deliver', link as (value: unknown) => void);
  return repeated('hookable', async () => hooks.callHook('deliver', { allow: true }));
}

function repeated(name: string, chain: () => Promise<unknown>): Contender {
  return {
    name,
    operations: chains,
    run: async () => {
      for (let at = 0; at < chains; at += 1) await chain();
    },
  };
}
