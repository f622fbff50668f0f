import type { DefaultsOf } from '@varve/sessions';
import { effectiveConfig, readConfig, sessionsOptionsOf } from '@varve/sessions/config';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginTalk, type Talk } from './talk.ts';

const room = { channel: 'discord', chatType: 'group', peer: 'g1' } as const;

const defaults: DefaultsOf = ({ agentId, channel }) =>
  channel === 'discord'
    ? { model: 'SMALL', thinking: 'high', verbose: 'full' }
    : { model: agentId === 'ada' ? 'test:small' : null, thinking: 'low' };

/** What the commands say of a conversation. */
async function shownBy(talk: Talk, place: object = {}): Promise<readonly unknown[]> {
  const shown: unknown[] = [];
  for (const command of ['/model', '/think', '/verbose']) shown.push((await talk.say(command, place)).command?.data);
  return shown;
}

describe('what holds for a conversation that chose nothing', () => {
  it('is what its agent and its channel have: it is asked so, and the commands say so', async () => {
    await using talk = await beginTalk({ defaults });
    await talk.say('One');
    await talk.say('Two', { agentId: 'ada' });
    await talk.say('Three', room);
    expect(talk.chosen).toEqual(['test/large low', 'test/small low', 'test/small high']);
    expect(await shownBy(talk, room)).toEqual([
      { model: 'test/small', chosen: false },
      { thinking: 'high' },
      { verbose: 'full' },
    ]);
    expect((await talk.say('/status', room)).command?.text).toContain('Model: test/small');
  });

  it('gives way to what is chosen, and comes back with the word default', async () => {
    await using talk = await beginTalk({ defaults });
    await talk.say('/model large', room);
    await talk.say('/think off', room);
    await talk.say('/verbose off', room);
    expect(await shownBy(talk, room)).toEqual([
      { model: 'test/large', chosen: true },
      { thinking: 'off' },
      { verbose: 'off' },
    ]);
    await talk.say('One', room);
    expect((await talk.say('/model default', room)).command?.text).toBe('test/small answers from now on.');
    expect((await talk.say('/think default', room)).command?.data).toEqual({ thinking: 'high' });
    expect((await talk.say('/verbose default', room)).command?.data).toEqual({ verbose: 'full' });
    await talk.say('Two', room);
    expect(talk.chosen).toEqual(['test/large off', 'test/small high']);
  });

  it('answers where the model that was chosen is not there any more', async () => {
    await using talk = await beginTalk({ defaults });
    const { route } = await talk.say('One', room);
    await talk.sessions.use(route.keyText, (session) => session.set('model', 'test/gone'));
    const { notices } = await talk.say('Two', room);
    expect(notices).toEqual(['The model test/gone is not there any more; test/small answers.']);
  });

  it('is what a sub-agent begins with, too, though it is in no channel', async () => {
    await using talk = await beginTalk({ defaults });
    const { route } = await talk.say('One', room);
    const { childKey } = await talk.sessions.spawn(route.keyText, { task: 'Dig.' });
    await talk.sessions.stopChild(childKey);
    const settings = await talk.sessions.use(childKey, async ({ view }) => view.settings);
    expect(settings).toMatchObject({ model: 'test/small', thinking: 'high' });
  });
});

describe('a configuration', () => {
  const level = fc.constantFrom('off', 'minimal', 'low', 'medium', 'high', 'xhigh', undefined);
  const verbose = fc.constantFrom('off', 'on', 'full', undefined);
  const model = fc.constantFrom('small', 'test/small', 'test:large', undefined);
  const layer = fc.record({ thinking: level, verbose });

  it('holds in a conversation as it is shown, for any layers and settings', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ global: layer, agent: layer, channel: layer }),
        fc.record({ base: model, agent: model, channel: model }),
        fc.record({ thinking: level, verbose: fc.option(fc.oneof(verbose, fc.boolean())), model }),
        async (layers, models, chosen) => {
          const { config } = readConfig(
            {
              models: { default: models.base ?? 'test/large', names: { small: 'test/small' } },
              global: layers.global,
              agents: { main: { ...layers.agent, model: models.agent } },
              channels: { Telegram: { ...layers.channel, model: models.channel } },
            },
            { name: 'test' },
          );
          const settings = Object.fromEntries(
            Object.entries(chosen).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
          );
          const { values } = effectiveConfig(config, { agentId: 'main', channel: 'telegram', settings });
          await using talk = await beginTalk({ ...sessionsOptionsOf(config), answers: true });
          const { route } = await talk.say('One');
          await talk.sessions.use(route.keyText, async (session) => {
            for (const [name, value] of Object.entries(settings)) await session.set(name, value);
          });
          expect(await shownBy(talk)).toMatchObject([
            { model: values.model },
            { thinking: values.thinking },
            { verbose: values.verbose },
          ]);
          await talk.say('Two');
          const asked = values.thinking === null ? `${values.model}` : `${values.model} ${values.thinking}`;
          expect(talk.chosen.at(-1)).toBe(asked);
        },
      ),
      { numRuns: 60 },
    );
  });
});
