import { sample } from '../sample.ts';

export default sample({
  topic: 'Commands, settings and policies',
  title: 'A setting holds from its newest entry on, and never stands in a prompt',
  why: 'Settings inside the text are believed by the model, forgotten by a summary, and changed by anybody who can write.',
  run: async ({ session, model }) => {
    await session.set('voice', 'loud');
    return { settings: session.view.settings, prompt: await session.assemble({ model: model.ref }) };
  },
});
