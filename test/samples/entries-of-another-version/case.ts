import { sample } from '../sample.ts';

export default sample({
  topic: 'Journals as they are found',
  title: 'An entry of a later format is kept and passed over, and it is said',
  why: 'What it means now is not known here; after an update that was taken back, conversations have to go on.',
  run: async ({ session, model }) => {
    const prompt = await session.assemble({ model: model.ref });
    return { prompt, findings: session.health().findings.map(({ lastCode, lastError }) => ({ lastCode, lastError })) };
  },
});
