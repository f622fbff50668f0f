import { sample } from '../sample.ts';

export default sample({
  topic: 'Budget and layers',
  title: 'Live state stands at the end of the prompt, in its newest form, and goes with a null',
  why: 'What an agent is in the middle of is lost first when it stands in the old part of a conversation.',
  run: async ({ session, model }) => {
    await session.setState('watch', 'the ferry, now at the buoy');
    await session.setState('tea', 'on the stove');
    await session.setState('tea', null);
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
