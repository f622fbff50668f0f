import { sample } from '../sample.ts';

export default sample({
  topic: 'Branches, forks and forgetting',
  title: 'A fork begins with the same entries and goes its own way; the session it came from stays as it is',
  why: 'A sub-agent that shares its history by writing into it would talk in between.',
  run: async ({ host, session, model, id }) => {
    const fork = await host.fork(session.sessionId, { newSessionId: 'lake-south', at: id(2) });
    await fork.ingest({ role: 'user', content: 'South, for the harbour inn.' });
    return {
      fork: await fork.assemble({ model: model.ref }),
      session: await session.assemble({ model: model.ref, dryRun: true }),
    };
  },
});
