import { sample } from '../sample.ts';

export default sample({
  topic: 'Turns',
  title: 'A turn that is aborted stores the question and no answer, and the next turn answers it',
  why: 'Half an answer that looks like a whole one is believed, and a question that is gone is asked again.',
  run: async ({ session, model }) => {
    const generate = async (): Promise<never> => {
      session.abort('The user pressed stop.');
      throw new Error('Stopped.');
    };
    const first = await session.turn({
      message: { role: 'user', content: 'Is the pier open?' },
      model: { ...model, generate },
    });
    const second = await session.turn({ model });
    return { first: first.status, pending: first.pending, second: second.status, text: second.text };
  },
});
