import { type JsonValue, readSendOverride, sendOverrideInForce } from '@varve/core';
import type { CarryOverOptions, CarryOverRule, ResetKind } from '@varve/sessions';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setStage } from './stage.ts';

const key = 'agent:main:main';

/** What a conversation begins with after a reset, when it had all of this before. */
async function afterReset(
  before: { readonly settings: Readonly<Record<string, JsonValue>>; readonly state: Readonly<Record<string, string>> },
  { kind, carryOver }: { readonly kind: ResetKind; readonly carryOver?: CarryOverOptions },
): Promise<{ readonly settings: object; readonly state: object }> {
  await using stage = await setStage({ sessions: { carryOver } });
  const { sessions } = stage;
  await sessions.use(key, async (session) => session.ingest({ role: 'user', content: 'a' }), before);
  const { sessionId } = await sessions.reset(key, { reason: 'test', kind });
  return sessions.use(key, async (session) => {
    const state: Record<string, string | null> = {};
    for await (const entry of session.read()) if (entry.type === 'state') state[entry.slot] = entry.text;
    expect(session.sessionId).toBe(sessionId);
    return { settings: session.view.settings, state };
  });
}

const all = {
  settings: { model: 'a/b', thinking: 'high', verbose: true, send: 'off', incognito: true, 'acme:tone': 'dry' },
  state: { todo: 'Buy milk.', subagents: 'One works.' },
};

describe('what is carried over', () => {
  it.each(['explicit', 'implicit'] as const)(
    'is every setting, and no state but work that goes on (%s)',
    async (kind) => {
      expect(await afterReset(all, { kind })).toEqual({
        settings: all.settings,
        state: { subagents: 'One works.' },
      });
    },
  );

  it('is what the rules say, for any rules, but security settings always', async () => {
    const rule = fc.constantFrom<CarryOverRule>('always', 'explicit', 'implicit', 'never');
    const settingNames = ['model', 'thinking', 'verbose', 'acme:tone'] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.record({ model: rule, thinking: rule, verbose: rule, 'acme:tone': rule }),
        fc.record({ todo: rule, subagents: rule }),
        fc.constantFrom<ResetKind>('explicit', 'implicit'),
        async (settings, state, kind) => {
          const found = await afterReset(all, { kind, carryOver: { settings, state } });
          const isKept = (one: CarryOverRule): boolean => one === 'always' || one === kind;
          expect(Object.keys(found.settings).sort()).toEqual(
            ['incognito', 'send', ...settingNames.filter((name) => isKept(settings[name]))].sort(),
          );
          expect(Object.keys(found.state).sort()).toEqual(
            (['subagents', 'todo'] as const).filter((slot) => isKept(state[slot])),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('goes through any number of generations, an end and a return', async () => {
    await using stage = await setStage();
    const { sessions } = stage;
    const first = await sessions.use(key, async (session) => {
      await session.set('send', { mode: 'deny', until: 5, at: 1 });
      await session.ingest({ role: 'user', content: 'a' });
      return session.sessionId;
    });
    await sessions.reset(key, { reason: 'new' });
    await sessions.reset(key, { reason: 'daily', kind: 'implicit' });
    await sessions.archive(key);
    await sessions.reset(key, { reason: 'new' });
    await sessions.archive(key);
    await sessions.restore(key, first);
    await sessions.reset(key, { reason: 'new' });
    const settings = await sessions.use(key, async (session) => session.view.settings);
    expect(settings).toEqual({ send: { mode: 'deny', until: 5, at: 1 } });
  });

  it('a return never lifts what was forbidden for ever, nor for longer, however short the newest word was', async () => {
    await using stage = await setStage();
    const { sessions, clock } = stage;
    const hour = 3_600_000;
    const setSend = (send: JsonValue): Promise<string> =>
      sessions.use(key, async (session) => {
        await session.set('send', send);
        return session.sessionId;
      });
    const first = await setSend('off');
    await sessions.reset(key, { reason: 'test' });
    await setSend({ mode: 'deny', until: clock.now() + hour, at: clock.now() });
    clock.advance(2 * hour);
    await sessions.restore(key, first);
    expect(await sessions.use(key, async ({ view }) => view.settings)).toEqual({ send: 'off' });
  });

  it('is after a return or a fork what the stricter of two generations says, at every later moment', async () => {
    const until = fc.option(fc.integer({ min: 1, max: 9 }));
    const said = fc.option(fc.record({ mode: fc.constantFrom('allow', 'deny', 'inherit'), until }));
    await fc.assert(
      fc.asyncProperty(said, said, fc.nat(10), fc.boolean(), async (earlier, newer, wait, isFork) => {
        await using stage = await setStage();
        const { sessions, clock } = stage;
        const begun = clock.now();
        const at = (value: { readonly mode: string; readonly until: number | null } | null): JsonValue =>
          value === null ? null : { mode: value.mode, until: value.until === null ? null : begun + value.until };
        const earlierKey = isFork ? 'agent:main:telegram:group:g1' : key;
        const first = await sessions.use(earlierKey, async (session) => {
          await session.set('send', at(earlier));
          return session.sessionId;
        });
        if (isFork) await sessions.archive(earlierKey);
        else await sessions.reset(key, { reason: 'test' });
        await sessions.use(key, async (session) => session.set('send', at(newer)));
        clock.advance(wait);
        if (isFork) await sessions.fork(key, { newKey: earlierKey });
        else await sessions.restore(key, first);
        const send = await sessions.use(earlierKey, async ({ view }) => view.settings['send']);
        const isDenied = (value: JsonValue | undefined, now: number): boolean =>
          sendOverrideInForce(readSendOverride(value), now)?.mode === 'deny';
        for (let now = clock.now(); now <= begun + 11; now += 1) {
          expect(isDenied(send, now)).toBe(isDenied(at(earlier), now) || isDenied(at(newer), now));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('keeps a conversation incognito after a return, whatever else stood in the setting', async () => {
    await using stage = await setStage();
    const { sessions } = stage;
    const first = await sessions.use(key, async (session) => {
      await session.set('incognito', true);
      return session.sessionId;
    });
    await sessions.reset(key, { reason: 'test' });
    await sessions.use(key, async (session) => session.set('incognito', 'yes'));
    await sessions.restore(key, first);
    expect(await sessions.use(key, async ({ view }) => view.settings)).toEqual({ incognito: true });
  });

  it('is what people and places are called, unless something else is said', async () => {
    await using stage = await setStage();
    const { sessions } = stage;
    const names = {
      label: 'Home',
      displayName: 'Alice',
      channel: 'telegram',
      chatType: 'direct',
      identity: 'alice',
    } as const;
    await sessions.use(key, async () => undefined, names);
    await sessions.reset(key, { reason: 'new' });
    expect(await sessions.current(key)).toMatchObject(names);
    await sessions.reset(key, { reason: 'new', names: { identity: null, label: 'Office' } });
    expect(await sessions.current(key)).toMatchObject({ ...names, identity: null, label: 'Office' });
  });
});
