import type { ManualClock } from '@varve/testkit';
import {
  failure,
  type MisbehaviourName,
  type ModelScript,
  misbehaviours,
  silence,
  summariser,
} from '@varve/testkit/model-server';

/** A way in which a summariser fails, at every call. */
export interface SummariserFault {
  readonly name: string;
  script(clock: ManualClock): ModelScript;
}

/** Longer than core waits for a summariser. */
const pastDeadline = 181_000;

/** All faults. One that never answers lets time pass, as it does. */
export const summariserFaults: readonly [SummariserFault, ...SummariserFault[]] = [
  always('server-error'),
  always('rate-limited'),
  {
    name: 'never-answers',
    script: (clock) => () => {
      setImmediate(() => clock.advance(pastDeadline));
      return silence();
    },
  },
  always('cut-between-events'),
  always('cut-within-line'),
  always('ends-early'),
  always('error-in-stream'),
  always('empty-answer'),
  always('blank-answer'),
  always('refusal'),
  always('too-long-answer'),
  always('stopped-by-length'),
  always('injected-text'),
  always('tool-call-instead'),
  always('wrong-language'),
  { name: 'drops-identifiers', script: () => summariser({ keeps: 0, sentences: 3 }) },
  { name: 'overflow', script: () => () => failure('overflow') },
];

function always(name: MisbehaviourName): SummariserFault {
  return { name, script: () => (request) => misbehaviours[name].outcome(request) };
}
