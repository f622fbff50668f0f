import { sample } from '../sample.ts';

export default sample({
  topic: 'Pruning',
  title: 'An edit that is taken back shows the result again, since it was never gone',
  why: 'Pruning that loses the original cannot be undone when it turns out to be needed.',
  run: async ({ session, model, id }) => {
    await session.undo(id(7));
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
