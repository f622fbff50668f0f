import { sample } from '../sample.ts';

export default sample({
  topic: 'Journals as they are found',
  title: 'Who follows a journal from an entry on gets each later event once, those of the past first',
  why: 'A user interface that reconnects would show messages twice, or miss those that came meanwhile.',
  run: async ({ session }) => {
    const events = session.follow({ afterSeq: 3 });
    await session.ingest({ role: 'user', content: 'And the weir?' });
    const seen: unknown[] = [];
    for await (const { name, event } of events) {
      seen.push({ name, seq: event.seq });
      if (event.seq === 6) break;
    }
    return { seen };
  },
});
