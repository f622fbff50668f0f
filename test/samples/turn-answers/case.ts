import { sample } from '../sample.ts';

export default sample({
  topic: 'Turns',
  title: 'A turn stores the question, what was sent, and the answer',
  why: 'What was sent has to be known later, also when the process ends right behind the answer.',
  answers: ['It is 48 metres deep at the weir.'],
  run: async ({ session, model }) => {
    const { status, text } = await session.turn({ message: { role: 'user', content: 'How deep is the lake?' }, model });
    return { status, text };
  },
});
