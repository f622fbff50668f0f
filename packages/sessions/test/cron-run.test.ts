import { VarveError } from '@varve/core';
import { cronRunKey, runOfCron } from '@varve/sessions';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

describe('the key of a run of a job', () => {
  it('is read back as it was made, whatever stands in its parts', () => {
    const part = fc.string({ minLength: 1, unit: 'binary' });
    fc.assert(
      fc.property(part, part, part, (agentId, job, run) => {
        expect(runOfCron(cronRunKey({ agentId, job, run }))).toEqual({ agentId, job, run });
      }),
    );
  });

  it('has the form that jobs of other systems have', () => {
    expect(cronRunKey({ agentId: 'main', job: 'news', run: 'r-1' })).toBe('agent:main:cron:news:run:r-1');
    expect(() => cronRunKey({ agentId: 'main', job: '', run: 'r-1' })).toThrow(VarveError);
  });

  it('is not found in a job itself, nor in any other text', () => {
    for (const text of ['agent:main:cron:news', 'agent:main:main', 'global', 'news:run:r-1', '']) {
      expect(runOfCron(text)).toBeNull();
    }
  });
});
