import { sample } from '../sample.ts';

export default sample({
  topic: 'Branches, forks and forgetting',
  title: 'What is forgotten is gone from the journal itself; what is left says why',
  why: 'A secret that is only hidden from prompts is still in the file, its copies and its backups.',
  run: async ({ session, model, id }) => {
    await session.forget([id(3), id(4)], 'asked for by the user');
    const entries = [];
    for await (const entry of session.read({ fromSeq: 3, toSeq: 4 })) entries.push(entry);
    return { entries, prompt: await session.assemble({ model: model.ref }) };
  },
});
