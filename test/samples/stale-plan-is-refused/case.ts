import { isRefusal } from '@varve/core';
import { sample } from '../sample.ts';

export default sample({
  topic: 'Compaction and recall',
  title: 'A plan is not carried out once the head has moved',
  why: 'A background compaction that ends late would summarise what the user has just taken back.',
  run: async ({ session, model, id }) => {
    const plan = await session.plan('manual', { model: model.ref });
    await session.moveHead(id(4), { reason: 'rewind' });
    if (isRefusal(plan)) return { plan };
    const { status, entry } = await session.commit(plan, { model: model.ref });
    return { status, entry };
  },
});
