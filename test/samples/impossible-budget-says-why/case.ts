import { sample } from '../sample.ts';

export default sample({
  topic: 'Budget and layers',
  title: 'A budget that cannot hold even the system prompt is an error that names what does not fit',
  why: 'A prompt cut down to nothing would be answered, and the answer would be wrong without anybody noticing.',
  budget: { inputTokens: 20 },
  run: async ({ session, model }) => ({ error: await session.assemble({ model: model.ref }).catch((error) => error) }),
});
