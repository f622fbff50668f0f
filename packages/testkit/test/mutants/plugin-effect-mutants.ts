import { type HookContext, isRefusal, type Plan, VarveError } from '@varve/core';
import type { PluginSubject } from '@varve/testkit';
import { broken, mutant, note, rule, tapping } from './broken-plugin.ts';
import type { Mutant } from './mutant.ts';

/** Cases that use every hook, and so see each tap that fails. */
const copingCases = [
  'copes with nothing but tool messages',
  'copes with messages of every kind',
  'copes with a tool result of 1 MB',
  'copes with a budget that holds next to nothing',
  'copes with a budget without limit',
  'answers questions as their hooks demand',
  'has no plan where there is nothing to compact',
];

const noRule: readonly [string, ...string[]] = [
  'names a rule for everything that it does',
  'returns drafts that core made for this assembly',
  'changes nothing of what it is handed',
];

const memory: readonly Mutant<PluginSubject>[] = [
  tapping('works in place', ['changes nothing of what it is handed', ...copingCases], ({ hooks }) =>
    hooks.shouldCompact.tapPromise('calm down', (pressure) => void Object.assign(pressure, { level: 'none' })),
  ),
  tapping(
    'counts how often it was asked',
    [
      'gives the same prompt when it is asked twice',
      'gives the same prompts after a restart',
      'keeps sessions apart',
      'sends the same again when nothing has happened',
    ],
    ({ hooks }) => {
      let count = 0;
      hooks.collect.tapPromise('count', (draft) => {
        count += 1;
        return draft.addLayer(note(`asked ${count} times`), rule);
      });
    },
  ),
  mutant(
    'counts its processes',
    [
      'gives the same prompts in another process',
      'gives the same prompts after a restart',
      'keeps sessions apart',
      'serves several hosts at once',
    ],
    () => {
      let processes = 0;
      return broken(({ hooks }) => {
        processes += 1;
        const number = processes;
        hooks.collect.tapPromise('count', (draft) => draft.addLayer(note(`process ${number}`), rule));
        return undefined;
      });
    },
  ),
  tapping('remembers in a variable what was said', 'gives the same prompts after a restart', ({ hooks }) => {
    const words = new Map<string, number>();
    hooks.ingest.tapPromise('remember', (_ingested, { session }) => {
      words.set(session.sessionId, (words.get(session.sessionId) ?? 0) + 1);
    });
    hooks.collect.tapPromise('recall', (draft, { session }) =>
      draft.addLayer(note(`${words.get(session.sessionId) ?? 0} said`), rule),
    );
  }),
  tapping('remembers for all sessions at once', 'keeps sessions apart', ({ hooks }) => {
    const seen = new Set<string>();
    hooks.collect.tapPromise('recall', (draft, { session }) => {
      seen.add(session.sessionId);
      return draft.addLayer(note(`sessions ${[...seen].sort().join()}`), rule);
    });
  }),
  tapping('keeps its context', 'uses its context only while its tap runs', ({ hooks }) => {
    let kept: HookContext | null = null;
    hooks.shape.tapPromise('keep', (_draft, context) => {
      try {
        void kept?.pressure;
      } catch (error) {
        if (!VarveError.is(error, 'VARVE_TAP_EXPIRED')) throw error;
      }
      kept = context;
    });
  }),
];

const effects: readonly Mutant<PluginSubject>[] = [
  tapping(
    'adds a layer that is larger than the budget',
    'makes no prompt impossible that fits without it',
    ({ hooks }) =>
      hooks.shape.tapPromise('add', (draft) =>
        draft.addLayer(note('clay '.repeat(draft.budget.input < 4_000 ? 9_000 : 1)), rule),
      ),
  ),
  tapping('drops all but the newest', 'leaves the running turn to the model', ({ hooks }) =>
    hooks.shape.tapPromise('drop', (draft) => {
      const groups = draft.groups();
      return groups.length > 7 && groups.every(({ live }) => live) ? draft.drop(groups[0]?.id ?? '', 'old') : undefined;
    }),
  ),
  tapping(
    'shortens what is a few messages old, each time anew',
    'leaves the front of prompts alone while there is room and the cache is warm',
    ({ hooks }) =>
      hooks.shape.tapPromise('shorten', (draft) =>
        draft.edit(
          ({ item, text }) => (draft.items.indexOf(item) < draft.items.length - 6 ? text.slice(0, 20) : undefined),
          { rule: 'short' },
        ),
      ),
  ),
  tapping(
    'trims what it stores',
    [
      'stores what was said as it was said',
      'leaves no trace that undoing its edits and compactions does not take back',
      'leaves the running turn to the model',
    ],
    ({ hooks }) =>
      hooks.ingest.tapPromise('trim', ({ message, provenance }) => {
        const { role, content } = message;
        return role === 'user' && typeof content === 'string'
          ? { message: { role, content: content.slice(0, 12) }, provenance }
          : undefined;
      }),
  ),
  tapping(
    'edits its own edits',
    [
      'stores an edit once',
      'leaves the front of prompts alone while there is room and the cache is warm',
      'sends the same again when nothing has happened',
    ],
    ({ hooks }) =>
      hooks.shape.tapPromise('mark', (draft) =>
        draft.edit(({ kind, text }) => (kind === 'text' ? `${text}!` : undefined), { rule: 'mark', sticky: true }),
      ),
  ),
  tapping('adds one more note each time', 'sends the same again when nothing has happened', ({ hooks }) =>
    hooks.shape.tapPromise('note', (draft) => {
      const notes = draft.items.filter((item) => item.note !== null).length;
      return draft.addNote({ id: `note-${notes}`, items: [{ text: 'Silt.' }] }, rule);
    }),
  ),
  tapping('edits without a rule', noRule, ({ hooks }) =>
    hooks.shape.tapPromise('mark', (draft) =>
      draft.budget.input !== 8_000
        ? undefined
        : draft.edit(({ kind, text }) => (kind === 'text' && !text.startsWith('!') ? `!${text}` : undefined), {
            rule: '',
            sticky: true,
          }),
    ),
  ),
  tapping(
    'plans beyond what is there',
    ['plans only compactions that can be carried out', 'answers questions as their hooks demand'],
    ({ hooks }) =>
      hooks.compact.tapPromise('plan', (request) => {
        const plan = request.defaultPlan();
        return isRefusal(plan) ? plan : { ...plan, range: { ...plan.range, firstKept: plan.range.from } };
      }),
  ),
  tapping(
    'takes for granted that there is a plan',
    [
      'has no plan where there is nothing to compact',
      'copes with a budget that holds next to nothing',
      'copes with an empty conversation',
      'copes with nothing but tool messages',
    ],
    ({ hooks }) =>
      hooks.compact.tapPromise('plan', (request) => {
        const plan = request.defaultPlan() as Plan;
        return { ...plan, actions: plan.actions.map((action) => action) };
      }),
  ),
  tapping('writes without end', 'writes prose within what it is granted', ({ hooks }) =>
    hooks.summarize.tapPromise('write', () => 'clay and silt, '.repeat(9_000)),
  ),
];

/** Plugins that remember too much, or do to prompts what they must not. */
export const effectPluginMutants: readonly Mutant<PluginSubject>[] = [...memory, ...effects];
