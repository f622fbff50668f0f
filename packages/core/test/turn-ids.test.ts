import { createHost, type Host, memoryStore, type Session } from '@varve/core';
import { manualClock } from '@varve/testkit';
import { describe, expect, test } from 'vitest';
import { entriesOf, scriptedModel, user } from './turn/scripted-model.ts';

async function open(options: Parameters<typeof createHost>[0]): Promise<{ host: Host; session: Session }> {
  const host = await createHost({ clock: manualClock(), ...options });
  return { host, session: await host.open('s') };
}

const begunAt1 = expect.stringMatching(/^turn-1-[0-9A-Z]{8}$/);

describe('turns of two hosts', () => {
  test('on one journal have different ids, also when they begin at the same entry', async () => {
    const store = memoryStore();
    const sessions = await Promise.all([open({ store }), open({ store })]);
    const records = await Promise.all(
      sessions.map(({ session }, index) =>
        session.turn({ message: user(`Hi ${index}`), model: scriptedModel([]).port }),
      ),
    );
    const ids = records.map(({ turnId }) => turnId);
    expect(ids).toEqual([begunAt1, begunAt1]);
    expect(new Set(ids).size).toBe(2);
    for (const { host } of sessions) await host.close();
    const { host, session } = await open({ store });
    const entries = await entriesOf(session);
    for (const { turnId, input } of records) {
      const own = entries.filter((entry) => entry.type === 'message' && entry.turnId === turnId);
      expect(own.map(({ seq }) => seq)).toContain(input?.seq);
      expect(own).toHaveLength(2);
    }
    await host.close();
  });

  test('are named alike by hosts that have the same clock, the same chance and the same journal', async () => {
    const ids = await Promise.all(
      [0, 1].map(async () => {
        const { host, session } = await open({ random: () => 0.5 });
        const { turnId } = await session.turn({ message: user('Hi'), model: scriptedModel([]).port });
        await host.close();
        return turnId;
      }),
    );
    expect(ids[0]).toBe(ids[1]);
  });
});
