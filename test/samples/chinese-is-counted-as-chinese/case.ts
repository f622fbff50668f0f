import { tableCounter } from '@varve/core';
import { sample } from '../sample.ts';

export default sample({
  topic: 'Messages',
  title: 'Chinese is counted as Chinese, by the default counter',
  why: 'A rule of four characters a token takes a Chinese conversation for a third of what it costs.',
  counter: tableCounter,
  run: async ({ session, model }) => ({ prompt: await session.assemble({ model: model.ref }) }),
});
