import { sample } from '../sample.ts';

export default sample({
  topic: 'Calls and results',
  title: 'A result that comes behind a message of the user stands at its call, and the message behind it',
  why: 'People write while tools run; a request with a message between call and result is refused.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
