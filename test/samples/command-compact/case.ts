import { sample } from '../sample.ts';

export default sample({
  topic: 'Commands, settings and policies',
  title: '`/compact` compacts and tells what it did, to an owner alone',
  why: 'Anybody in a group could otherwise make the agent forget the details of what it is doing.',
  run: async ({ session, model }) => ({
    member: await session.command('/compact', { model: model.ref, sender: { id: 'ben', role: 'member' } }),
    owner: await session.command('/compact the limit', { model: model.ref, sender: { id: 'ada', role: 'owner' } }),
  }),
});
