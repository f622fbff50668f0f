import { readFileSync } from 'node:fs';
import {
  type CommandReply,
  type CommandSender,
  createHost,
  type Delivery,
  type DeliveryKind,
  definePlugin,
  type Host,
  type JsonValue,
  memoryStore,
  type Session,
} from '@varve/core';
import { askDelivery } from '@varve/core/host';
import { type SendPolicyOptions, sendPolicy } from '@varve/plugin-send-policy';
import { manualClock } from '@varve/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { inGroup, noon, reply } from './delivery.ts';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const model = { provider: 'test', model: 'test-1' };
const owner: CommandSender = { id: 'anna', role: 'owner' };
const kinds: readonly DeliveryKind[] = ['reply', 'typing', 'reaction', 'cross-session', 'announcement', 'greeting'];
const hour = 3_600_000;

interface Harbour {
  readonly host: Host;
  readonly session: Session;
  readonly clock: ReturnType<typeof manualClock>;
  say(text: string, sender?: CommandSender): Promise<CommandReply | null>;
  /** What of these leaves, by kind. */
  leaving(deliveries: readonly Delivery[]): Promise<readonly string[]>;
  denials(): Promise<readonly unknown[]>;
}

async function harbour(options: SendPolicyOptions = {}, store = memoryStore()): Promise<Harbour> {
  const clock = manualClock(noon);
  const host = await createHost({ plugins: [sendPolicy(options)], store, clock });
  const session = await host.open('harbour');
  return {
    host,
    session,
    clock,
    say: (text, sender = owner) => session.command(text, { model, sender }),
    leaving: async (deliveries) => {
      const decisions = await Promise.all(deliveries.map((delivery) => askDelivery(session, delivery)));
      return decisions.flatMap(({ allow, delivery }) => (allow ? [delivery.kind] : []));
    },
    denials: async () => {
      await session.ingest({ role: 'user', content: 'And now?' });
      const found: unknown[] = [];
      for await (const entry of session.read()) {
        if (entry.type === 'send-policy:denied' && 'data' in entry) found.push(entry.data);
      }
      return found;
    },
  };
}

const everyExit = kinds.map((kind) => reply({ kind }));

describe('sendPolicy', () => {
  it('has the version of its package', () => {
    expect(sendPolicy().version).toBe(manifest.version);
  });

  it('lets nothing leave by any of the six exits of a session that is switched off, and says why', async () => {
    const { host, session, say, leaving } = await harbour();
    expect(await leaving(everyExit)).toEqual(kinds);
    expect(await say('/send off')).toMatchObject({ data: { mode: 'deny', until: null } });
    expect(await leaving(everyExit)).toEqual([]);
    expect(await askDelivery(session, reply())).toMatchObject({
      allow: false,
      by: 'send-policy',
      rule: 'override',
      reason: 'Sending is switched off for this session.',
    });
    await host.close();
  });

  it('lets nothing leave when a policy throws, whichever plugin it is in', async () => {
    const broken = definePlugin({
      name: 'acme/broken',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => {
        hooks.deliver.tapPromise('fail', () => {
          throw new Error('broken');
        });
      },
    });
    const host = await createHost({ plugins: [broken(), sendPolicy()], store: memoryStore() });
    const session = await host.open('harbour');
    await session.command('/send on', { model, sender: owner });
    for (const delivery of everyExit) {
      expect(await askDelivery(session, delivery)).toMatchObject({ allow: false, by: 'acme/broken' });
    }
    await host.close();
  });

  it('speaks in groups only when it is mentioned or replied to', async () => {
    const rules = [{ action: 'deny', match: { chatType: ['group', 'channel'], addressed: 'any' } }] as const;
    const { host, session, leaving } = await harbour({ rules });
    const ways = ['mention', 'reply', 'any'] as const;
    const decisions = await Promise.all(ways.map((addressed) => askDelivery(session, inGroup({ addressed }))));
    expect(decisions.map(({ allow }) => allow)).toEqual([true, true, false]);
    expect(await leaving([reply()])).toEqual(['reply']);
    await host.close();
  });

  it('goes on being off after a restart, also one without a goodbye, and where the setting is carried over', async () => {
    const store = memoryStore();
    const first = await harbour({}, store);
    expect(await first.say('/send off')).toEqual({ text: expect.any(String), data: { mode: 'deny', until: null } });
    const { send } = first.session.view.settings;
    const killed = await createHost({ store, plugins: [sendPolicy()] });
    expect((await killed.open('harbour', { readOnly: true })).view.settings).toEqual({ send });
    await first.host.close();
    const second = await harbour({}, store);
    expect(await second.leaving(everyExit)).toEqual([]);
    const next = await second.host.open('the-next-one');
    await next.set('send', send as JsonValue);
    expect(await askDelivery(next, reply())).toMatchObject({ allow: false, rule: 'override' });
    await second.host.close();
  });

  it('ends an override at its time, and shows what holds', async () => {
    const { host, say, leaving, clock } = await harbour({ block: { types: ['direct'] } });
    expect(await say('/send')).toMatchObject({ text: 'The rules decide what leaves this session.' });
    expect(await say('/send on for 2h')).toMatchObject({
      text: 'Everything may leave this session, until 2026-01-07T14:00:00.000Z.',
      data: { mode: 'allow', until: noon + 2 * hour },
    });
    clock.advance(2 * hour - 1);
    expect(await leaving([reply()])).toEqual(['reply']);
    expect(await say('/send')).toMatchObject({ data: { mode: 'allow', until: noon + 2 * hour } });
    clock.advance(1);
    expect(await leaving([reply()])).toEqual([]);
    expect(await say('/send')).toMatchObject({ data: { mode: 'inherit', until: null } });
    await host.close();
  });

  it.each([
    ['a member', { id: 'bo', role: 'member' }],
    ['somebody unknown', { id: 'bo', role: 'unknown' }],
    ['somebody without a role', { id: 'bo' }],
  ] as const)('takes no command from %s', async (_, sender) => {
    const { host, session, say, leaving } = await harbour();
    await say('/send off');
    for (const text of ['/send on', '/send inherit', '/send']) {
      expect(await say(text, sender)).toMatchObject({ data: { status: 'refused' } });
    }
    expect(await session.command('/send on', { model }), 'from nobody in particular').toMatchObject({
      data: { status: 'refused' },
    });
    expect(await leaving(everyExit)).toEqual([]);
    await host.close();
  });

  it.each([
    '/send offf',
    '/send on please',
    '/send on for',
    '/send on for ever',
    '/send on for 0h',
    '/send on for 900d',
    '/send inherit for 2h',
  ])('changes nothing for %s', async (text) => {
    const { host, say, leaving } = await harbour();
    await say('/send off');
    expect(await say(text)).toMatchObject({ data: { status: 'refused' } });
    expect(await leaving(everyExit)).toEqual([]);
    await host.close();
  });

  it('leaves sentences that begin like the command to the conversation', async () => {
    const { host, say } = await harbour();
    expect(await say('/send the report to Bo')).toBeNull();
    expect(await say('/sending off')).toBeNull();
    expect(await say('please /send off')).toBeNull();
    await host.close();
  });

  it.each([
    ['allow', true],
    ['ON', true],
    ['deny', false],
    ['default', false],
    ['reset', false],
  ])('knows the word %s', async (word, allow) => {
    const { host, say, leaving } = await harbour({ default: 'deny' });
    await say(`/send ${word}`);
    expect(await leaving([reply()])).toEqual(allow ? ['reply'] : []);
    await host.close();
  });

  it('follows what was said last, by the command or by the host', async () => {
    const { host, session, say, leaving } = await harbour();
    await say('/send off');
    await session.set('send', { mode: 'allow' });
    expect(await leaving([reply()])).toEqual(['reply']);
    await say('/send off');
    expect(await leaving([reply()])).toEqual([]);
    await session.set('send', 'on');
    expect(await leaving([reply()])).toEqual(['reply']);
    await session.set('send', { mode: 'nonsense' });
    expect(await leaving([reply()])).toEqual([]);
    await host.close();
  });

  it('records what was denied, without its text', async () => {
    const { host, leaving, denials } = await harbour({ block: { types: ['group'], reason: 'maintenance' } });
    await leaving([inGroup(), reply(), inGroup({ kind: 'announcement', recipient: 'r'.repeat(10_000) })]);
    const told = { channel: 'telegram', chatType: 'group', rule: 'block', reason: 'maintenance', characters: 15 };
    expect(await denials()).toEqual([
      { ...told, kind: 'reply', recipient: 'pier-7', leftOut: 0 },
      { ...told, kind: 'announcement', recipient: 'r'.repeat(300), leftOut: 0 },
    ]);
    await host.close();
  });

  it('records a sign of life once an hour, and no more than a hundred denials, and counts the others', async () => {
    const { host, leaving, denials, clock } = await harbour({ default: 'deny' });
    const typing = Array.from({ length: 50 }, () => reply({ kind: 'typing' }));
    await leaving(typing);
    expect(await denials()).toHaveLength(1);
    await leaving(Array.from({ length: 200 }, () => reply()));
    expect(await denials()).toHaveLength(100);
    clock.advance(hour);
    await leaving(typing);
    const all = await denials();
    expect(all).toHaveLength(101);
    expect(all.at(-1)).toMatchObject({ kind: 'typing', leftOut: 101 });
    expect(all[1]).toMatchObject({ kind: 'reply', leftOut: 49 });
    await host.close();
  });

  it('denies for its own reason where the denial cannot be recorded', async () => {
    const { host, session } = await harbour({ block: { types: ['group'], reason: 'maintenance' } });
    const warnings: string[] = [];
    host.events.on('warning', ({ text }) => warnings.push(text));
    await session.close();
    const decision = await askDelivery(session, inGroup());
    expect(decision).toMatchObject({ allow: false, rule: 'block', reason: 'maintenance' });
    await host.close();
    expect(warnings.join()).toContain('A denied delivery was not recorded');
  });

  it('leaves what another plugin has denied to that plugin', async () => {
    const modest = definePlugin({
      name: 'acme/modest',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => {
        hooks.deliver.tapPromise('deny', (decision) => ({ ...decision, allow: false, reason: 'No.', rule: 'modesty' }));
      },
    });
    const host = await createHost({ plugins: [modest(), sendPolicy()], store: memoryStore() });
    const session = await host.open('harbour');
    await session.command('/send on', { model, sender: owner });
    expect(await askDelivery(session, reply())).toMatchObject({ allow: false, by: 'acme/modest', rule: 'modesty' });
    await host.close();
  });

  it('warns once of rules that decide nothing', async () => {
    const { host, leaving } = await harbour({ rules: [{ action: 'allow', name: 'open' }] });
    const warnings: string[] = [];
    host.events.on('warning', ({ text }) => warnings.push(text));
    await leaving([reply(), reply()]);
    await host.close();
    expect(warnings).toEqual(['send-policy: The rule "open" changes nothing: what no rule denies is allowed anyway.']);
  });

  it('does not start with options that it does not know, and says where', async () => {
    const given = { rules: [{ action: 'deny', match: { chatTypes: 'group' } }] } as unknown as SendPolicyOptions;
    await expect(createHost({ plugins: [sendPolicy(given)] })).rejects.toMatchObject({
      code: 'VARVE_PLUGIN_OPTIONS',
      message: expect.stringContaining('rules.0.match: "chatTypes" is not known here; known are channel, chatType'),
    });
  });
});
