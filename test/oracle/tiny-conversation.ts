/** A block of a body, as the tests make and corrupt it. */
export interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: string;
  is_error?: boolean;
  cache_control?: { type: 'ephemeral' };
}

/** One file that a replay writes. */
export interface Written {
  request: number;
  item?: number;
  body: { model: string; max_tokens: number; system?: Block[]; messages: { role: string; content: Block[] }[] };
  manifest: {
    request: number;
    entries: { seq: number; key: string; role: string; kind: string; rule?: string; by?: string; tokens: number }[];
    ranges: { fromSeq: number; toSeq: number; kind: string; by?: string }[];
    layers: { id: string; tokens: number; sources: unknown[] }[];
    madeUpTokens: number;
    actions: { kind: string }[];
    firstChangedByte: number | null;
  };
}

const summaryAction = { kind: 'compaction', seq: 12 };
const maskAction = { kind: 'verdict', verdict: 'cleared', rule: 'mask-old-result', fromSeq: 10, toSeq: 10, entries: 1 };

/** One step of the conversation: who, what, and the seq that its entry has. */
interface Step {
  readonly seq: number;
  readonly key: string;
  readonly role: 'user' | 'assistant' | 'tool';
  readonly blocks: readonly Block[];
}

const text = (value: string): Block => ({ type: 'text', text: value });
const call = (id: string, command: string): Block => ({ type: 'tool_use', id, name: 'Bash', input: { command } });
const result = (id: string, content: string): Block => ({ type: 'tool_result', tool_use_id: id, content });

const log = Array.from({ length: 40 }, (_, line) => `${line + 1}: 第 ${line + 1} 行 of the build log`).join('\n');

/** A user who says one thing twice, calls side by side, a long result. Five calls of a model, at 1, 4, 6, 8 and 10. */
const steps: readonly Step[] = [
  { seq: 1, key: 'line:1', role: 'user', blocks: [text('Please repair the parser in src/parse.ts')] },
  {
    seq: 3,
    key: 'line:2',
    role: 'assistant',
    blocks: [text('I look at both.'), call('t1', 'cat src/parse.ts'), call('t2', 'cat src/lex.ts')],
  },
  { seq: 4, key: 'line:4', role: 'tool', blocks: [result('t1', 'export const parse = 1;')] },
  { seq: 5, key: 'line:5', role: 'tool', blocks: [result('t2', 'export const lex = 2;')] },
  { seq: 7, key: 'line:6', role: 'assistant', blocks: [text('The lexer is at fault.')] },
  { seq: 8, key: 'line:7', role: 'user', blocks: [text('continue')] },
  { seq: 10, key: 'line:8', role: 'assistant', blocks: [call('t3', 'npm test')] },
  { seq: 11, key: 'line:9', role: 'tool', blocks: [result('t3', log)] },
  { seq: 14, key: 'line:10', role: 'assistant', blocks: [text('All tests pass.')] },
  { seq: 15, key: 'line:11', role: 'user', blocks: [text('continue')] },
  { seq: 18, key: 'line:12', role: 'assistant', blocks: [text('Nothing is left to do.')] },
];

/** Number of messages before each call. */
const calls = [1, 4, 6, 8, 10] as const;

const summary =
  '[Summary of entries #1 to #7 of this conversation]\n\n## Task\n#1 Please repair the parser in src/parse.ts\n\n## End';
const cleared = '[40 lines left out; the whole is in #11]';

/** The session as Claude Code writes it: the first answer of the model has a line for each call. */
export function sourceLines(): string {
  const lines = steps.flatMap(({ role, blocks, key }) => {
    const id = `msg_${key}`;
    if (role !== 'assistant') return [{ type: 'user', message: { role: 'user', content: blocks } }];
    const [first, ...rest] = blocks.length === 3 ? [blocks.slice(0, 2), blocks.slice(2)] : [blocks];
    return [first, ...rest].map((content) => ({
      type: 'assistant',
      message: { id, role: 'assistant', model: 'claude-sonnet-4-5', content },
    }));
  });
  return `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`;
}

/** What a right replay writes: request 4 has a summary in front, request 5 a cleared result and a volatile layer. */
export function rightBodies(): Written[] {
  return calls.map((before, index) => {
    const request = index + 1;
    const first = request >= 4 ? 5 : 0;
    const isCleared = (step: Step) => request === 5 && step.seq === 11;
    const shown = steps.slice(first, before);
    const blocks = shown.map((step) => ({
      role: step.role === 'assistant' ? 'assistant' : 'user',
      content: step.blocks.map((block) => (isCleared(step) ? { ...block, content: cleared } : { ...block })),
    }));
    const front = first > 0 ? [{ role: 'user', content: [text(summary)] }] : [];
    const messages = merged([...front, ...blocks]);
    const marked = messages.at(-1)?.content.at(-1);
    if (marked !== undefined) marked.cache_control = { type: 'ephemeral' };
    if (request === 5) messages.at(-1)?.content.push(text('# State\n\nnothing runs'));
    return {
      request,
      body: { model: 'claude-sonnet-4-5', max_tokens: 4096, messages },
      manifest: manifestOf(request, { shown, isCleared, first }),
    };
  });
}

function manifestOf(
  request: number,
  { shown, isCleared, first }: { shown: readonly Step[]; isCleared: (step: Step) => boolean; first: number },
): Written['manifest'] {
  const entries = shown.map((step) => ({
    ...{ seq: step.seq, key: step.key, role: step.role, tokens: 10 },
    ...(isCleared(step) ? { kind: 'cleared', rule: 'mask-old-result', by: 'core' } : { kind: 'kept' }),
  }));
  const layers = [...(first > 0 ? ['summary'] : []), ...(request === 5 ? ['state'] : [])];
  return {
    request,
    entries,
    ranges: first > 0 ? [{ fromSeq: 1, toSeq: 7, kind: 'summarised', by: '#12' }] : [],
    layers: layers.map((id) => ({ id, tokens: 30, sources: [] })),
    madeUpTokens: 0,
    actions: ({ 4: [summaryAction], 5: [maskAction] } as Record<number, { kind: string }[]>)[request] ?? [],
    firstChangedByte: null,
  };
}

/** Neighbours of one role as one message, results of tools first. */
export function merged(messages: readonly { role: string; content: Block[] }[]): { role: string; content: Block[] }[] {
  const turns: { role: string; content: Block[] }[] = [];
  for (const { role, content } of messages) {
    const last = turns.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else turns.push({ role, content: [...content] });
  }
  const isResult = (block: Block) => block.type === 'tool_result';
  return turns.map(({ role, content }) => ({
    role,
    content: [...content.filter(isResult), ...content.filter((block) => !isResult(block))],
  }));
}
