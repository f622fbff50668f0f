import { VarveError } from '@varve/core';
import { sample } from '../sample.ts';

const tooLong = new VarveError('VARVE_MODEL_OVERFLOW', 'The prompt is too long.', {
  fix: 'Shorten it.',
  details: { limit: 260 },
});

export default sample({
  topic: 'Turns',
  title: 'A prompt that was too long for the model is made smaller and sent again, in the same turn',
  why: 'The user would get an error for a conversation that still can go on.',
  budget: { windowTokens: 1000 },
  answers: [tooLong, 'Three knots at the least.'],
  run: async ({ session, model }) => {
    const { status, text, steps, compactions, overflowsRecovered } = await session.turn({
      message: { role: 'user', content: 'How much wind was there?' },
      model,
    });
    return { status, text, steps, compactions: compactions.map((one) => one.status), overflowsRecovered };
  },
});
