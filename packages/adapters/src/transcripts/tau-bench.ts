import { type ConversationFormat, listWith } from './conversation-format.ts';
import { arrayAt, numberAt } from './json-guards.ts';
import { isMessage } from './message-dialect.ts';
import { openAiMessageReader, sourceOf } from './openai-messages.ts';

/** Trajectories of tau-bench: OpenAI's messages in `traj`, one object for each trial of a task. */
export const tauBench: ConversationFormat = {
  id: 'tau-bench',
  recognises: (conversation) => listWith(conversation, 'traj', isMessage).length > 0,
  title(conversation) {
    const [task, trial] = [numberAt(conversation, 'task_id'), numberAt(conversation, 'trial')];
    return task === undefined ? undefined : `task ${task}${trial === undefined ? '' : `, trial ${trial}`}`;
  },
  records(conversation, { line }) {
    const read = openAiMessageReader({});
    return arrayAt(conversation, 'traj').flatMap((value, index) => read(sourceOf(value, { index, line })));
  },
};
