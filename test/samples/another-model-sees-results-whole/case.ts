import { sample } from '../sample.ts';

export default sample({
  topic: 'Pruning',
  title: 'Edits made for one model end when another one is asked',
  why: 'The other model has no cache to spare, and may have a window that holds everything.',
  run: async ({ session, model }) => ({
    same: await session.assemble({ model: model.ref, dryRun: true }),
    other: await session.assemble({ model: { provider: 'harbour', model: 'captain' } }),
  }),
});
