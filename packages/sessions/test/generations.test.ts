import { memoryStore, type Store } from '@varve/core';
import type { Sessions } from '@varve/sessions';
import { manualClock } from '@varve/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Death, type DyingStore, dyingStore } from './dying-store.ts';
import { entriesOf, recordsOf, say, setStage, textsOf } from './stage.ts';

const keys = ['agent:main:main', 'agent:main:direct:bob', 'agent:main:telegram:group:7'] as const;

/** One thing that somebody does. */
interface Deed {
  readonly keyText: string;
  readonly what: 'say' | 'silence' | 'reset' | 'rollOver' | 'restore' | 'archive' | 'hibernate';
  /** Which generation to return to, of those that there are. */
  readonly pick: number;
}

/** What somebody does at once, and whether the process is killed meanwhile. */
interface Round {
  readonly deeds: readonly Deed[];
  readonly death: Death | null;
  readonly ms: number;
}

const deed: fc.Arbitrary<Deed> = fc.record({
  keyText: fc.constantFrom(...keys),
  what: fc.constantFrom('say', 'say', 'say', 'silence', 'reset', 'rollOver', 'restore', 'archive', 'hibernate'),
  pick: fc.nat(5),
});

const round: fc.Arbitrary<Round> = fc.record({
  deeds: fc.array(deed, { minLength: 1, maxLength: 8 }),
  death: fc.option(fc.record({ at: fc.integer({ min: 1, max: 40 }), isDone: fc.boolean() }), { freq: 3 }),
  // The clock jumps back now and then.
  ms: fc.integer({ min: -5_000, max: 20_000 }),
});

/** What there should be of one conversation. */
interface Expected {
  /** What was said in each generation, by session id, in the order of their beginnings. */
  readonly said: Map<string, string[]>;
  current: string | null;
  /** The one that was current last. */
  last: string | null;
  isSilent: boolean;
}

/** Plays rounds, and holds what the store has against a model of it. */
class Play {
  readonly #store: Store = memoryStore();
  readonly #clock = manualClock();
  readonly #expected = new Map<string, Expected>();
  #texts = 0;

  async run(rounds: readonly Round[]): Promise<void> {
    let dying: DyingStore = dyingStore(this.#store);
    let sessions = await this.#begin(dying);
    for (const one of rounds) {
      this.#clock.advance(one.ms);
      if (one.death === null) {
        await this.#goWell(sessions, one.deeds);
      } else {
        dying.dieAt(one.death);
        await this.#dieMeanwhile(sessions, one.deeds, dying.died);
        dying = dyingStore(this.#store);
        sessions = await this.#begin(dying);
      }
      await this.#check();
    }
    await sessions.close();
  }

  async #begin({ store }: DyingStore): Promise<Sessions> {
    const live = { maxSessions: 2, idleMs: 3_000 };
    return (await setStage({ store, clock: this.#clock, sessions: { live } })).sessions;
  }

  #of(keyText: string): Expected {
    const known = this.#expected.get(keyText) ?? { said: new Map(), current: null, last: null, isSilent: false };
    this.#expected.set(keyText, known);
    return known;
  }

  /** Begins all deeds at once, but that an archive is alone: it looks for sub-agents first. */
  async #goWell(sessions: Sessions, deeds: readonly Deed[]): Promise<void> {
    const parted = deeds.findIndex(({ what }) => what === 'archive');
    if (parted === -1) return this.#goAtOnce(sessions, deeds);
    await this.#goAtOnce(sessions, deeds.slice(0, parted));
    await this.#goAtOnce(sessions, deeds.slice(parted, parted + 1));
    await this.#goWell(sessions, deeds.slice(parted + 1));
  }

  /** What each should do follows from the order in which they were begun. */
  async #goAtOnce(sessions: Sessions, deeds: readonly Deed[]): Promise<void> {
    const begun = deeds.map((one) => this.#do(sessions, one));
    for (const { done, expect: expectIt } of begun) expectIt((await done) as never);
  }

  /** The same, but the store dies: what was not acknowledged may or may not have been done, and nothing else. */
  async #dieMeanwhile(sessions: Sessions, deeds: readonly Deed[], died: Promise<void>): Promise<void> {
    const before = structuredClone(this.#expected);
    const acknowledged: { readonly text: string; readonly sessionId: string }[] = [];
    const begun = deeds.map((one) => {
      const { done, text } = this.#do(sessions, one);
      void done.then((sessionId) => {
        if (text !== null) acknowledged.push({ text, sessionId: String(sessionId) });
        if (one.what === 'silence') this.#of(one.keyText).isSilent = true;
      });
      return { ...one, done, text };
    });
    await Promise.race([Promise.all(begun.map(({ done }) => done)), died]);
    await this.#learn();
    for (const { text, sessionId } of acknowledged) {
      const holders = [...this.#expected.values()].flatMap(({ said }) =>
        [...said].flatMap(([id, texts]) => texts.filter((one) => one === text).map(() => id)),
      );
      expect(holders).toEqual([sessionId]);
    }
    for (const [keyText, { said }] of before) {
      const own = begun.filter((one) => one.keyText === keyText);
      const news = new Set(own.map(({ text }) => text));
      for (const [sessionId, texts] of said) {
        const now = this.#of(keyText).said.get(sessionId) ?? [];
        expect(now.slice(0, texts.length)).toEqual(texts);
        expect(now.slice(texts.length).every((text) => news.has(text))).toBe(true);
      }
    }
  }

  /** Takes what the store has for what there should be. */
  async #learn(): Promise<void> {
    for (const keyText of keys) {
      const expected = this.#of(keyText);
      expected.said.clear();
      const own = (await recordsOf(this.#store)).filter((record) => record.key === keyText);
      const wasCurrent = own
        .filter(({ currentSince }) => currentSince !== null)
        .sort((a, b) => (b.currentSince ?? 0) - (a.currentSince ?? 0));
      for (const { sessionId } of wasCurrent) {
        expected.said.set(sessionId, await textsOf(this.#store, sessionId));
      }
      expected.last = wasCurrent[0]?.sessionId ?? null;
      expected.current = wasCurrent.find(({ state }) => state === 'open')?.sessionId ?? null;
    }
  }

  #do(
    sessions: Sessions,
    { keyText, what, pick }: Deed,
  ): { readonly done: Promise<unknown>; readonly text: string | null; expect(result: never): void } {
    const expected = this.#of(keyText);
    const began = (sessionId: string): void => {
      expect(expected.said.has(sessionId)).toBe(false);
      expected.said.set(sessionId, []);
      expected.current = sessionId;
      expected.last = sessionId;
    };
    const used = (sessionId: string): void => {
      if (expected.current === null) began(sessionId);
      expect(sessionId).toBe(expected.current);
    };
    if (what === 'say') {
      this.#texts += 1;
      const text = `${keyText} ${this.#texts}`;
      const done = say(sessions, keyText, text);
      return {
        done,
        text,
        expect: (sessionId: string) => {
          used(sessionId);
          expected.said.get(sessionId)?.push(text);
        },
      };
    }
    if (what === 'silence') {
      const done = sessions.use(keyText, async (session) => {
        await session.set('send', 'off');
        return session.sessionId;
      });
      return {
        done,
        text: null,
        expect: (sessionId: string) => {
          used(sessionId);
          expected.isSilent = true;
        },
      };
    }
    if (what === 'reset' || what === 'rollOver') {
      const kind = what === 'reset' ? 'explicit' : 'implicit';
      const done = sessions.reset(keyText, { reason: 'test', kind });
      return {
        done,
        text: null,
        expect: ({ sessionId, previousSessionId }: { sessionId: string; previousSessionId: string | null }) => {
          expect(previousSessionId).toBe(expected.current ?? expected.last);
          began(sessionId);
        },
      };
    }
    const target = [...expected.said.keys()][pick];
    if (what === 'restore' && target !== undefined) {
      const done = sessions.restore(keyText, target);
      return {
        done,
        text: null,
        expect: () => {
          expected.current = target;
          expected.last = target;
        },
      };
    }
    if (what === 'archive') {
      const done = sessions.archive(keyText);
      return {
        done,
        text: null,
        expect: ({ sessionId }: { sessionId: string | null }) => {
          expect(sessionId).toBe(expected.current);
          expected.current = null;
        },
      };
    }
    return { done: sessions.hibernate(keyText), text: null, expect: () => undefined };
  }

  /** Holds every journal and every record against what there should be. */
  async #check(): Promise<void> {
    const records = await recordsOf(this.#store);
    for (const { sessionId, key } of records) {
      const texts = await textsOf(this.#store, sessionId);
      expect(texts).toEqual(this.#of(key ?? '').said.get(sessionId) ?? []);
      expect(texts.filter((text) => !text.startsWith(`${key} `))).toEqual([]);
    }
    for (const [keyText, { current, isSilent, said }] of this.#expected) {
      const own = records.filter(({ key, currentSince }) => key === keyText && currentSince !== null);
      expect(new Set(own.map(({ sessionId }) => sessionId))).toEqual(new Set(said.keys()));
      const open = own.filter(({ state }) => state === 'open');
      const newest = Math.max(...open.map(({ currentSince }) => currentSince ?? 0));
      const found = open.filter(({ currentSince }) => currentSince === newest).map(({ sessionId }) => sessionId);
      expect(found).toEqual(current === null ? [] : [current]);
      if (!isSilent || current === null) continue;
      const sends = (await entriesOf(this.#store, current)).filter(
        (one) => one.type === 'setting' && one.name === 'send',
      );
      expect(sends.at(-1)).toMatchObject({ value: 'off' });
    }
  }
}

describe('conversations that many use at once, with processes that are killed', () => {
  it('have one current generation, every history exact, nothing of another, and stay silent once they are told to', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 8 }), async (rounds) => new Play().run(rounds)),
      { numRuns: 120 },
    );
  });
});
