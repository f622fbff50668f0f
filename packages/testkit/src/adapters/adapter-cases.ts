import type { AdapterCase } from './adapter-subject.ts';
import { answerCases } from './answer-cases.ts';
import { bodyCases } from './body-cases.ts';
import { conversationCases } from './conversation-cases.ts';

/** What every adapter has to fulfil: a pair of functions that make the body of a call, and read its answer. */
export const adapterCases: readonly AdapterCase[] = [...bodyCases, ...conversationCases, ...answerCases];
