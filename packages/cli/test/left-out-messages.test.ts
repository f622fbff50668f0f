import { replayTranscript } from '@varve/cli';
import { definePlugin, type Plugin } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { piSession } from './synthetic-transcripts.ts';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

/** Drops the first message from the fourth prompt on, in every other one. */
function onAndOff(): Plugin {
  let made = 0;
  return definePlugin({
    name: 'acme/on-and-off',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } },
    apply: ({ hooks }) =>
      hooks.shape.tapPromise('drop every other time', (draft) => {
        made += 1;
        const [first] = draft.items;
        const isOff = made >= 4 && made % 2 === 0;
        return isOff && first !== undefined ? draft.drop(first.groupId, 'on-and-off') : undefined;
      }),
  })();
}

describe('the messages that a replay leaves out', () => {
  it('are counted once, also where they come back and are left out again', async () => {
    const file = folder.file('comes-back.jsonl', piSession({ tasks: 4 }));
    const { requests, totals } = await replayTranscript({ file, budgetTokens: null, plugins: [onAndOff()] });
    expect(requests.slice(-4).map(({ leftOut }) => leftOut > 0)).toEqual([false, true, false, true]);
    expect(totals.dropped).toBe(requests.at(-1)?.leftOut);
    expect(requests.reduce((sum, { dropped }) => sum + dropped, 0)).toBe(totals.dropped);
  });
});
