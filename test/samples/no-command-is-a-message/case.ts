import { sample } from '../sample.ts';

export default sample({
  topic: 'Commands, settings and policies',
  title: 'A line with a slash that is no command is left to the conversation',
  why: 'Paths begin with a slash, too; answered with an error, they could not be talked about.',
  run: async ({ session, model }) => ({
    path: await session.command('/etc/harbour.toml is wrong', { model: model.ref }),
    unknown: await session.command('/sail north', { model: model.ref }),
    escaped: await session.command('//compact is a command', { model: model.ref }),
  }),
});
