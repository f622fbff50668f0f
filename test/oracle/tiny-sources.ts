/** A source in one of the forms that the judge reads, and what it must find. */
export interface TinySource {
  readonly format: string;
  readonly title: string;
  /** A text is written as it is, anything else as a document. */
  readonly source: unknown;
  /**
   * A line for each conversation: its messages, `s`, `u`, `a` or `t` with their place, `~` in front of an observation,
   * `-` in front of what is meta; behind each call of a model the answer has a `!`.
   */
  readonly items: readonly string[];
}

const said = (role: string, content: unknown = role, more: object = {}) => ({ role, content, ...more });
const [system, user, answer] = ['system', 'user', 'assistant'].map((role) => said(role)) as [object, object, object];
const use = said('assistant', [{ type: 'tool_use', id: 't1', name: 'ls', input: {} }]);
const used = said('user', [
  { type: 'tool_result', tool_use_id: 't1', content: 'a' },
  { type: 'text', text: 'go on' },
]);
const called = { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'ls', arguments: '{}' } }] };
const gave = { role: 'tool', tool_call_ids: ['c1'], content: 'a' };
const entry = (id: string, parentId: string | null, type: string, more: object = {}) => ({
  id,
  parentId,
  type,
  ...more,
});
const turn = (id: string, parentId: string | null, message: object) => entry(id, parentId, 'message', { message });
const lines = (...values: readonly object[]): string => values.map((value) => JSON.stringify(value)).join('\n');

/** The smallest source of each form. */
export const tinySources: readonly TinySource[] = [
  {
    ...{ format: 'swe-agent', title: 'history with a demonstration' },
    source: { history: [system, said('user', 'so', { is_demo: true }), user, called, gave, answer, user, answer] },
    items: ['s1 -u2 u3 a4! t5 a6! ~u7 a8!'],
  },
  {
    ...{ format: 'swe-agent', title: 'rows of a run' },
    source: [
      { trajectory: ['system', 'user', 'ai', 'user'].map((role) => ({ role, text: null, system_prompt: role })) },
      { trajectory: ['user', 'ai'].map((role) => ({ role, text: role })) },
    ],
    items: ['s1 u2 a3! ~u4', 'u1 a2!'],
  },
  {
    ...{ format: 'swe-agent', title: 'steps without a history' },
    source: {
      trajectory: [
        { query: [system, user, answer], response: 'ls', observation: 'a' },
        { response: 'ok', observation: '' },
      ],
    },
    items: ['squery:1 uquery:2 a1! ~u1.2 a2! ~u2.2'],
  },
  {
    ...{ format: 'mini-swe-agent', title: 'a list with return codes' },
    source: [user, answer, said('user', '<returncode>0</returncode>'), answer, said('exit')],
    items: ['u1 a2! ~u3 a4!'],
  },
  {
    ...{ format: 'tau-bench', title: 'runs of several tasks' },
    source: [{ traj: [system, user, answer, user] }, { traj: [user, called, { ...gave, tool_call_id: 'c1' }] }],
    items: ['s1 u2 a3! u4', 'u1 a2! t3'],
  },
  {
    ...{ format: 'text-actions', title: 'actions and observations as text' },
    source: [{ messages: [user, said('assistant', '<function=ls>'), said('user', 'OBSERVATION: a'), answer, user] }],
    items: ['u1 a2! ~u3 a4! u5'],
  },
  {
    ...{ format: 'openai-messages', title: 'rows with messages' },
    source: [{ messages: [user, called, gave] }, {}, { messages: [user, answer] }],
    items: ['u1 a2! t3', '', 'u1 a2!'],
  },
  {
    ...{ format: 'openai-messages', title: 'a conversation a line' },
    source: lines({ messages: [user, answer] }, { messages: [user] }),
    items: ['u1 a2!', 'u1'],
  },
  {
    ...{ format: 'anthropic-messages', title: 'a request with its system prompt' },
    source: { system: [{ type: 'text', text: 'Be brief.' }], messages: [user, use, used, answer] },
    items: ['ssystem u1 a2! t3 u3.2 a4!'],
  },
  {
    ...{ format: 'anthropic-messages', title: 'a message a line' },
    source: lines(user, use, used, answer),
    items: ['uline:1 aline:2! tline:3 uline:3.2 aline:4!'],
  },
  {
    ...{ format: 'flat-lines', title: 'a line for a call and its result' },
    source: lines(user, { role: 'tool', name: 'ls', output: null }, answer),
    items: ['uline:1 aline:2! tline:2.2 aline:3!'],
  },
  {
    ...{ format: 'typed-lines', title: 'a tree of calls and results' },
    source: lines(
      entry('1', null, 'user', { text: 'go' }),
      entry('2', '1', 'assistant', { text: 'I look' }),
      entry('3', '2', 'tool_use', { name: 'ls' }),
      entry('x', '2', 'assistant', { text: 'a branch' }),
      entry('4', '3', 'tool_result', { output: 'a' }),
      entry('5', '4', 'tool_use', { name: 'cat' }),
    ),
    items: ['uline:1 aline:2! tline:5 aline:6!'],
  },
  {
    ...{ format: 'pi', title: 'the newest path of a tree' },
    source: lines(
      { type: 'session', version: 3, id: 's' },
      turn('1', null, user),
      turn('x', '1', answer),
      turn('2', '1', answer),
      turn('3', '2', { ...answer, provider: 'openclaw', model: 'delivery-mirror' }),
      turn('4', 'unknown', { ...user, provenance: { kind: 'inter_session' } }),
      entry('5', '4', 'label'),
    ),
    items: ['uline:2 aline:4! aline:5 ~uline:6'],
  },
];
