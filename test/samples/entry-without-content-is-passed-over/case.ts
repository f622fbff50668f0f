import { sample } from '../sample.ts';

export default sample({
  topic: 'Journals as they are found',
  title: 'A message that another program stored without a content breaks nothing',
  why: 'Who reads a journal has not written all of it: one odd line must not take the conversation away.',
  run: async ({ session, model }) => {
    const prompt = await session.assemble({ model: model.ref });
    return { prompt, findings: session.health().findings.map(({ lastCode, lastError }) => ({ lastCode, lastError })) };
  },
});
