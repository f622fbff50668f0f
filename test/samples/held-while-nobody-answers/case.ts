import { sample } from '../sample.ts';

export default sample({
  title: 'Messages that nobody has answered are all part of the running turn',
  why: 'Somebody who writes three short messages wants an answer to all three, not to the last.',
  run: async ({ session, model }) => {
    await session.ingest({ role: 'user', content: 'Answer both, please.' });
    return { pending: (await session.turn({ model })).pending, prompt: await session.assemble({ model: model.ref, dryRun: true }) };
  },
});
