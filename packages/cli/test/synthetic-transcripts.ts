/** How a made-up agent session is. */
export interface SyntheticOptions {
  /** Tasks of the user; each is some calls of a tool, and an answer. */
  readonly tasks: number;
  /** Calls of a tool in each task. @default 3 */
  readonly calls?: number;
  /** Words in each result. @default 120 */
  readonly words?: number;
  /** Milliseconds between two lines; `null` leaves times out. @default 2 000 */
  readonly stepMs?: number | null;
}

/** The moment at which every session begins. */
export const beginning: number = Date.UTC(2025, 4, 1, 8, 0, 0);

/** A session in the format of pi: JSON Lines with times, a model and usage. */
export function piSession({ tasks, calls = 3, words = 120, stepMs = 2_000 }: SyntheticOptions): string {
  const lines: object[] = [{ type: 'session', version: 3, id: 'made-up', cwd: '/work' }];
  let step = 0;
  const add = (message: object): void => {
    step += 1;
    const time = stepMs === null ? {} : { timestamp: new Date(beginning + step * stepMs).toISOString() };
    lines.push({ type: 'message', ...time, message });
  };
  for (let task = 1; task <= tasks; task += 1) {
    add({ role: 'user', content: [text(`Task ${task}: look into module_${task}.ts and fix bug BUG-${1000 + task}.`)] });
    for (let call = 1; call <= calls; call += 1) {
      const id = `call_${task}_${call}`;
      const toolCall = { type: 'toolCall', id, name: 'read', arguments: { path: `src/module_${task}_${call}.ts` } };
      add(assistant([text(`Reading part ${call}.`), toolCall], 'toolUse'));
      add({ role: 'toolResult', toolCallId: id, toolName: 'read', content: [text(prose(words, task * 100 + call))] });
    }
    add(assistant([text(`Task ${task} is done: value_${task} was off by one.`)], 'stop'));
  }
  return jsonLines(lines);
}

/** A session in the format of Claude Code, whose tool caches for one hour and compacts once, behind half the tasks. */
export function claudeSession({ tasks, words = 120, stepMs = 2_000 }: SyntheticOptions): string {
  const lines: object[] = [];
  let step = 0;
  const at = (): string => {
    step += 1;
    return new Date(beginning + step * (stepMs ?? 0)).toISOString();
  };
  for (let task = 1; task <= tasks; task += 1) {
    lines.push({
      type: 'user',
      uuid: `u${task}`,
      timestamp: at(),
      message: { role: 'user', content: prose(words, task) },
    });
    const usage = {
      input_tokens: 10,
      output_tokens: 20,
      cache_read_input_tokens: 900,
      cache_creation_input_tokens: 90,
      cache_creation: { ephemeral_1h_input_tokens: 90, ephemeral_5m_input_tokens: 0 },
    };
    const message = { id: `m${task}`, role: 'assistant', model: 'claude-opus-4-6', content: [text('Done.')], usage };
    lines.push({ type: 'assistant', uuid: `a${task}`, timestamp: at(), message });
    lines.push({ type: 'progress', uuid: `p${task}`, timestamp: at(), data: { what: 'something that is no message' } });
    if (task !== Math.floor(tasks / 2)) continue;
    const compactMetadata = { trigger: 'auto', preTokens: 1_000 };
    lines.push({ type: 'system', subtype: 'compact_boundary', uuid: 'b', timestamp: at(), compactMetadata });
    const summary = { role: 'user', content: 'This is a summary.' };
    lines.push({ type: 'user', uuid: 's', timestamp: at(), isCompactSummary: true, message: summary });
  }
  return jsonLines(lines);
}

/** Several conversations in the form of OpenAI, one a line, without times and models. */
export function openAiConversations(count: number): string {
  return jsonLines(
    Array.from({ length: count }, (_, index) => ({
      messages: [
        { role: 'system', content: 'You are helpful.' },
        { role: 'user', content: `Question ${index + 1}: ${prose(30, index)}` },
        { role: 'assistant', content: 'An answer.' },
        { role: 'user', content: 'And then?' },
        { role: 'assistant', content: 'Another answer.' },
      ],
    })),
  );
}

/** A short exchange, and one whose running turn holds a tool call with arguments of this many words. */
export function giantCall(words: number): string {
  const args = JSON.stringify({ content: 'far too long '.repeat(words / 3) });
  const call = { id: 'call_1', type: 'function', function: { name: 'write', arguments: args } };
  return JSON.stringify([
    { role: 'user', content: 'Hello.' },
    { role: 'assistant', content: 'Hello!' },
    { role: 'user', content: 'Write it all down.' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'Written.' },
    { role: 'assistant', content: 'It is written.' },
  ]);
}

/** Values as JSON Lines. */
export function jsonLines(values: readonly object[]): string {
  return `${values.map((value) => JSON.stringify(value)).join('\n')}\n`;
}

function text(words: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text: words };
}

function assistant(content: readonly object[], stopReason: string): object {
  const usage = { input: 5, output: 7, cacheRead: 100, cacheWrite: 20 };
  return { role: 'assistant', content, provider: 'anthropic', model: 'claude-sonnet-4-5', usage, stopReason };
}

/** Words that differ from place to place, as those of real files do. */
function prose(words: number, seed: number): string {
  const syllables = ['ka', 'lo', 'mi', 'ner', 'tu', 'sol', 'bra', 'ven', 'qui', 'dor', 'pel', 'ax'];
  return Array.from({ length: words }, (_, index) => {
    const number = (seed * 7_919 + index * 104_729) % 1_728;
    const word = [number % 12, Math.floor(number / 12) % 12, Math.floor(number / 144)].map((part) => syllables[part]);
    return `${word.join('')}${index % 12 === 11 ? '.\n' : ''}`;
  }).join(' ');
}
