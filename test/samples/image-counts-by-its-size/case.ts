import { sample } from '../sample.ts';

export default sample({
  topic: 'Messages',
  title: 'An image is sent as it is, and counted by its width and height',
  why: 'Counted as text, the base64 of one photograph fills the window; counted as nothing, it overflows it.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
