import { legacyEngine } from '@varve/plugin-legacy-engine';
import { describeEngine } from '@varve/testkit/vitest';

describeEngine(
  'legacyEngine',
  { engine: 'legacy', plugin: () => legacyEngine() },
  {
    expectFail: {
      'keeps history within what is left for it': 'it is history as it is: the cut is left to core, on purpose',
    },
  },
);
