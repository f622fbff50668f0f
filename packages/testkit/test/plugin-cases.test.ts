import { definePlugin, isRefusal } from '@varve/core';
import { pluginCases } from '@varve/testkit';
import { describePlugin } from '@varve/testkit/vitest';
import { describe, it } from 'vitest';
import { z } from 'zod';
import { expectMatrix } from './expect-matrix.ts';
import { effectPluginMutants } from './mutants/plugin-effect-mutants.ts';
import { startingPluginMutants } from './mutants/plugin-mutants.ts';

const idle = definePlugin({
  name: 'idle',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: () => {},
});

/** Does something lawful in every hook. */
const busy = definePlugin({
  name: 'acme/busy',
  version: '1.0.0',
  apiVersion: '^1.0.0',
  options: z.strictObject({ heading: z.string().default('Note') }),
  apply: ({ hooks }, { heading }) => {
    hooks.ingest.tapPromise('look', () => undefined);
    hooks.collect.tapPromise('add a note', (draft, { session }) =>
      draft.addLayer(
        { id: 'note', role: 'user', stability: 'volatile', heading, items: [{ text: `${session.messages().length}` }] },
        'note',
      ),
    );
    hooks.shape.tapPromise('shorten old results', (draft, { pressure }) =>
      pressure === 'none'
        ? undefined
        : draft.edit(({ kind, text }) => (kind === 'tool-result' && text.length > 90 ? text.slice(0, 80) : undefined), {
            rule: 'short',
            sticky: true,
          }),
    );
    hooks.shape.tapPromise('note how much was said', (draft) => {
      const last = draft.items.findLast((item) => item.note === null);
      if (last?.seq === null || last?.message.role !== 'user') return undefined;
      return draft.addNote({ id: 'said', items: [{ text: `${last.id} was said.`, seqs: [last.seq] }] }, 'said');
    });
    hooks.shouldCompact.tapPromise('compare', ({ tokens, budget }) => tokens > budget.soft || undefined);
    hooks.compact.tapPromise('plan', (request) => {
      const plan = request.defaultPlan({ keepTokens: 500 });
      return isRefusal(plan) ? plan : { ...plan, by: { plugin: 'acme/busy', version: '1.0.0' } };
    });
    hooks.summarize.tapPromise('write', ({ entries }) => `${entries.length} messages about silt.`);
    return () => undefined;
  },
});

describePlugin('a plugin that does nothing', idle);
describePlugin('a plugin that taps every hook', busy);

describe('the cases of plugins', () => {
  it('each fail for a plugin that is broken in their way, and for few others', async () => {
    await expectMatrix('plugins', pluginCases, [...startingPluginMutants, ...effectPluginMutants]);
  });
});
