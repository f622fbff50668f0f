import { type ContextEngine, type Draft, isRefusal, type Plan } from '@varve/core';
import type { EngineSubject } from '@varve/testkit';
import { carefulEngine, engineId, engineSubject, fitted } from './careful-engine.ts';
import type { Mutant } from './mutant.ts';

type Changes = Partial<ContextEngine>;
type Fails = string | readonly [string, ...string[]];

/** A mutant whose engines share what `make` keeps: as a module would. */
function sharing(name: string, fails: Fails, make: () => () => ContextEngine): Mutant<EngineSubject> {
  const [first = '', ...also] = typeof fails === 'string' ? [fails] : fails;
  return { name, fails: first, also, open: () => engineSubject(make()) };
}

/** A mutant whose engines know nothing of each other. */
function mutant(name: string, fails: Fails, changes: () => Changes): Mutant<EngineSubject> {
  return sharing(name, fails, () => () => carefulEngine(changes()));
}

const withNote = (draft: Draft, text: string): Draft =>
  fitted(draft).addLayer({ id: 'note', role: 'user', stability: 'volatile', items: [{ text }] }, 'note');
const comesBack = ['throws', 'hangs', 'returns nonsense', 'returns a draft of its own making'].map(
  (fault) => `gives way to the reference path when a call ${fault}, and takes over again`,
);

const contract: readonly Mutant<EngineSubject>[] = [
  mutant('goes by another id', ['says who it is', ...comesBack], () => ({
    info: { id: 'other', name: 'Other', version: '1.0.0' },
  })),
  mutant('has a version that is none', 'says who it is', () => ({ info: { id: engineId, name: 'x', version: 'new' } })),
  sharing('is one for all sessions', 'gives each session an engine of its own', () => {
    const one = carefulEngine();
    return () => one;
  }),
  mutant('says nothing about entries', 'says of every entry whether it took it', () => ({
    ingest: async () => undefined as never,
  })),
  mutant(
    'counts entries by ingest',
    ['takes an entry twice without changing prompts', 'gives the same prompts after a restart'],
    () => {
      let entries = 0;
      return {
        ingest: async () => {
          entries += 1;
          return { ingested: true };
        },
        assemble: async ({ draft }) => withNote(draft, `${entries} entries`),
      };
    },
  ),
  mutant(
    'takes for granted that somebody has spoken',
    ['copes with an empty conversation', 'has no plan where there is nothing to compact'],
    () => ({
      assemble: async ({ draft }) => {
        void (draft.items[0] as { id: string }).id;
        return fitted(draft);
      },
      compact: async ({ request, defaultPlan }) => {
        void (request.draft.items[0] as { id: string }).id;
        return defaultPlan();
      },
    }),
  ),
  mutant('takes for granted that tools were called', 'copes with nothing but tool messages', () => ({
    ingest: async ({ entry, session }) => {
      const said = session.messages().map(({ message }) => message.role);
      if (entry.message.role === 'tool' && !said.includes('assistant')) throw new TypeError('No call.');
      return { ingested: true };
    },
  })),
  mutant(
    'takes all content for parts',
    ['copes with messages of every kind', 'copes with every budget', 'takes an entry twice without changing prompts'],
    () => ({
      ingest: async ({ entry }) => {
        const { content, role } = entry.message;
        if (role === 'assistant' && typeof content !== 'string' && content.length > 2)
          throw new TypeError('Too many parts.');
        return { ingested: true };
      },
    }),
  ),
  mutant('wants some tokens for itself', 'copes with every budget', () => ({
    assemble: async ({ draft, budget }) => {
      if (budget.input < 2_000) throw new RangeError('Too little.');
      return fitted(draft);
    },
  })),
  mutant('makes a draft by hand', ['returns a draft of the assembly that it is asked for'], () => ({
    assemble: async ({ draft }) => ({ ...fitted(draft) }),
  })),
  mutant(
    'keeps the draft of an earlier assembly',
    [
      'returns a draft of the assembly that it is asked for',
      'gives the same prompts after a restart',
      'leaves the running turn to the model',
    ],
    () => {
      let kept: Draft | null = null;
      return {
        assemble: async ({ draft }) => {
          kept ??= fitted(draft);
          return kept;
        },
      };
    },
  ),
  mutant('leaves the cut to others', 'keeps history within what is left for it', () => ({
    assemble: async ({ draft }) => draft,
  })),
  mutant('drops all but the newest', 'leaves the running turn to the model', () => ({
    assemble: async ({ draft }) => {
      const groups = draft.groups();
      const isLong = groups.length > 7 && groups.every(({ live }) => live);
      return isLong ? draft.drop(groups[0]?.id ?? '', 'old') : fitted(draft);
    },
  })),
  mutant('answers a compaction with nothing', ['answers a compaction with a plan or a refusal'], () => ({
    compact: async () => null as never,
  })),
  mutant('plans beyond what is there', 'plans only compactions that can be carried out', () => ({
    compact: async ({ defaultPlan }) => {
      const plan = await defaultPlan();
      return isRefusal(plan) ? plan : { ...plan, range: { ...plan.range, firstKept: plan.range.from } };
    },
  })),
  mutant('takes for granted that there is a plan', 'has no plan where there is nothing to compact', () => ({
    compact: async ({ defaultPlan }) => {
      const plan = (await defaultPlan()) as Plan;
      return { ...plan, actions: plan.actions.map((action) => action) };
    },
  })),
  mutant('waits on when its caller has gone', 'gives up when its caller does', () => ({
    assemble: async ({ draft, signal }) => {
      for (let tick = 0; tick < 200; tick += 1) await Promise.resolve();
      return signal.aborted ? new Promise(() => undefined) : fitted(draft);
    },
  })),
  mutant('fails when it is disposed of twice', 'lets go when its session is closed', () => {
    let isGone = false;
    return {
      dispose: async () => {
        if (isGone) throw new Error('Made by a mutant.');
        isGone = true;
      },
    };
  }),
];

const stability: readonly Mutant<EngineSubject>[] = [
  mutant(
    'counts how often it was asked',
    [
      'gives the same prompt when it is asked twice',
      'gives the same prompts after a restart',
      'takes an entry twice without changing prompts',
      ...comesBack,
    ],
    () => {
      let count = 0;
      return {
        assemble: async ({ draft }) => {
          count += 1;
          return withNote(draft, `asked ${count} times`);
        },
      };
    },
  ),
  mutant(
    'says, every second time, that nothing was said since it was asked',
    ['gives the same prompt when it is asked twice', 'takes an entry twice without changing prompts', ...comesBack],
    () => {
      let before = -1;
      return {
        assemble: async ({ draft }) => {
          const { length } = draft.items;
          const isAgain = length === before;
          before = isAgain ? -1 : length;
          return isAgain ? withNote(draft, 'asked again') : fitted(draft);
        },
      };
    },
  ),
  sharing(
    'counts its engines',
    ['gives the same prompts in another process', 'gives the same prompts after a restart', 'keeps sessions apart'],
    () => {
      let engines = 0;
      return () => {
        engines += 1;
        const number = engines;
        return carefulEngine({ assemble: async ({ draft }) => withNote(draft, `engine ${number}`) });
      };
    },
  ),
  mutant(
    'shortens what is a few messages old, each time anew',
    'leaves the front of prompts alone while there is room',
    () => ({
      assemble: async ({ draft }) =>
        fitted(draft).edit(
          ({ item, text }) => (draft.items.indexOf(item) < draft.items.length - 6 ? text.slice(0, 20) : undefined),
          {
            rule: 'short',
          },
        ),
    }),
  ),
];

/** Engines that break their contract, each in one way. */
export const engineMutants: readonly Mutant<EngineSubject>[] = [...contract, ...stability];
