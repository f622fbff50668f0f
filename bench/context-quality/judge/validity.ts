import type { JudgedPrompt } from './judged-prompt.ts';

/** What can be wrong with a request; providers refuse each. */
export type Fault = 'empty' | 'first-not-user' | 'orphan-result' | 'double-result' | 'unanswered-call' | 'double-call';

/**
 * M6. The faults of a request, each once: the first message is the user's; each result answers an open call of the
 * assistant's message directly before it; each call is answered before the next message that is no result.
 */
export function faultsOf({ messages }: JudgedPrompt): readonly Fault[] {
  const spoken = messages.filter(({ role }) => role !== 'system');
  if (spoken.length === 0) return ['empty'];
  const faults = new Set<Fault>();
  if (spoken[0]?.role !== 'user') faults.add('first-not-user');
  const called = new Set<string>();
  const answered = new Set<string>();
  let open = new Set<string>();
  for (const { role, calls, callId = '' } of spoken) {
    if (role === 'tool') {
      if (!open.delete(callId)) faults.add(answered.has(callId) ? 'double-result' : 'orphan-result');
      answered.add(callId);
      continue;
    }
    if (open.size > 0) faults.add('unanswered-call');
    open = new Set(calls.map(({ id }) => id));
    if (calls.some(({ id }) => called.has(id))) faults.add('double-call');
    for (const { id } of calls) called.add(id);
  }
  if (open.size > 0) faults.add('unanswered-call');
  return [...faults];
}
