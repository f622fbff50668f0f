import { sample } from '../sample.ts';

export default sample({
  title: 'Half a character, as a cut text ends with, does not stop a conversation',
  why: 'A lone surrogate is no Unicode: encoders replace it or throw, and the request fails for ever after.',
  run: async ({ session, model }) => {
    await session.ingest({ role: 'user', content: 'And one more: \ud83e' });
    return { prompt: await session.assemble({ model: model.ref }) };
  },
});
