import { sample } from '../sample.ts';

export default sample({
  topic: 'Branches, forks and forgetting',
  title: 'A fork takes the summary along, and can still read what lies below it',
  why: 'A sub-agent that only gets the summary has to ask for what its parent could have looked up.',
  run: async ({ host, session, model }) => {
    const { entry } = await session.compact('manual', { model: model.ref });
    const fork = await host.fork(session.sessionId, { newSessionId: 'lake-2' });
    const covered = [];
    for await (const { seq } of fork.expand(entry?.id ?? '')) covered.push(seq);
    return { covered, prompt: await fork.assemble({ model: model.ref }) };
  },
});
