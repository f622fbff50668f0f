import { sample } from '../sample.ts';

export default sample({
  topic: 'Pruning',
  title: 'What was pruned once stays pruned, byte for byte, whether the plugin is there or not',
  why: 'A prompt whose old parts come and go is never a prefix of the next one, and no cache ever helps.',
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
