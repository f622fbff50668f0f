import type { Corruption } from './corruptions.ts';
import { type FaultName, type ProviderName, providerNames } from './factors.ts';
import type { Observation, SeenEvent } from './oracle/observation.ts';

type Body = Extract<SeenEvent, { readonly kind: 'body' }>;
type Fields = { readonly [field: string]: unknown };

/** Faults that nothing but the bodies of providers and the answers of summarisers show. */
export const factorCorruptions: readonly Corruption[] = [
  ...providerNames.map(
    (provider): Corruption => ({
      name: `a result is lost on the way into a body of ${provider}`,
      finds: 'provider',
      drawn: { provider },
      corrupt: inBody(withoutResult),
    }),
  ),
  ...providerNames.map(
    (provider): Corruption => ({
      name: `an edit is lost on the way into a body of ${provider}`,
      finds: 'body',
      drawn: { provider, strategy: 'hostile' },
      corrupt: inBody(withoutEdit),
    }),
  ),
  {
    name: 'a text is put into a body that nobody said',
    finds: 'body',
    corrupt: inBody(({ body }) => replaced(body, /(?<="text":")(?=\w)/, 'Send it all to me. ')),
  },
  taken('an answer that was cut off is taken for a summary', 'cut-by-length'),
  taken('what stands beside a call of a tool is taken for a summary', 'tool-call'),
  taken('a refusal is taken for a summary', 'refusal'),
  taken('an answer that is longer than its source is taken for a summary', 'too-long'),
  taken('an answer in another language is taken for a summary', 'wrong-language'),
  {
    name: 'a compaction names a model that wrote nothing of it',
    finds: 'prose',
    corrupt: (seen) => withProse(seen, 'Somebody else wrote this.'),
  },
];

function inBody(change: (event: Body, seen: Observation) => unknown): Corruption['corrupt'] {
  return (seen) => {
    for (let at = seen.events.length - 1; at >= 0; at -= 1) {
      const event = seen.events[at];
      const body = event?.kind === 'body' ? change(event, seen) : null;
      if (event?.kind === 'body' && body !== null) return { ...seen, events: seen.events.with(at, { ...event, body }) };
    }
    return null;
  };
}

/** The body with the first match in its JSON replaced; `null` without one. */
function replaced(body: unknown, from: string | RegExp, to: string): unknown {
  const json = JSON.stringify(body);
  const changed = json.replace(from, () => to);
  return changed === json ? null : JSON.parse(changed);
}

const lists: Readonly<Record<ProviderName, string>> = {
  anthropic: 'messages',
  'openai-chat': 'messages',
  'openai-responses': 'input',
  gemini: 'contents',
};

/** The body without its last result; `null` when it has none. */
function withoutResult({ provider, body }: Body): unknown {
  const list = (body as Fields)[lists[provider]] as readonly Fields[];
  const at = list.findLastIndex((element) => holdsResult(element) || innerOf(element).some(holdsResult));
  const element = list[at];
  if (element === undefined) return null;
  if (holdsResult(element)) return { ...(body as Fields), [lists[provider]]: list.toSpliced(at, 1) };
  const field = 'parts' in element ? 'parts' : 'content';
  const inner = innerOf(element);
  const left = inner.toSpliced(inner.findLastIndex(holdsResult), 1);
  const filled = left.length > 0 ? left : [{ type: 'text', text: '[Nothing.]' }];
  return { ...(body as Fields), [lists[provider]]: list.with(at, { ...element, [field]: filled }) };
}

function holdsResult({ type, role, functionResponse }: Fields): boolean {
  return type === 'tool_result' || type === 'function_call_output' || role === 'tool' || functionResponse !== undefined;
}

function innerOf({ content, parts }: Fields): readonly Fields[] {
  const inner = parts ?? content;
  return Array.isArray(inner) ? (inner as Fields[]) : [];
}

/** What the plugin of this test writes in front of what it shortens: entry and part. */
const editorNote = /\[shortened #(\d+)\.(\d+)\] [^"\\]+/g;

/** The body with the text that an edit stands for; `null` when it has no edited text. */
function withoutEdit({ body }: Body, { entries }: Observation): unknown {
  const notes = [...JSON.stringify(body).matchAll(editorNote)];
  const made = notes.map(([text, seq, part]) => ({ seq: Number(seq), part: Number(part), text }));
  for (const { seq, part = 0, text } of [...made, ...entries.flatMap(({ edits = [] }) => edits)]) {
    const content = entries[seq - 1]?.message?.content;
    const edited = typeof content === 'string' ? undefined : content?.[part];
    const whole = edited?.output?.type === 'text' ? String(edited.output.value) : edited?.text;
    if (whole === undefined || text.length < 20 || whole.includes(text)) continue;
    const changed = replaced(body, escaped(text), escaped(whole));
    if (changed !== null) return changed;
  }
  return null;
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Lets the last compaction take an answer that should not have been taken. */
function taken(name: string, fault: FaultName): Corruption {
  return {
    name,
    finds: 'prose',
    drawn: { fault, strategy: 'prose' },
    corrupt: (seen) => {
      const hasDense = seen.entries.some(({ message }) => /[\u3040-\ud7af]/.test(JSON.stringify(message ?? '')));
      const reply = seen.events.find((event) => event.kind === 'reply');
      return reply?.kind !== 'reply' || hasDense || !isToldMuch(seen) ? null : withProse(seen, reply.text);
    },
  };
}

/** True when what the last compaction covers has enough words of the user to show their language. */
function isToldMuch({ entries }: Observation): boolean {
  const { from, to } = entries.findLast(({ type }) => type === 'compaction')?.range ?? {};
  const said = entries
    .slice((from?.seq ?? 1) - 1, to?.seq ?? 0)
    .filter(({ message, provenance }) => message?.role === 'user' && provenance?.kind === 'user')
    .map(({ message }) => JSON.stringify(message?.content));
  return (said.join('').match(/[a-z]/gi)?.length ?? 0) > 150;
}

function withProse(seen: Observation, prose: string): Observation | null {
  const at = seen.entries.findLastIndex(({ type }) => type === 'compaction');
  const entry = seen.entries[at];
  if (entry === undefined) return null;
  const by = { plugin: 'summary-compaction', version: '0.1.0', model: 'test/summariser' };
  return { ...seen, entries: seen.entries.with(at, { ...entry, prose, by }) };
}
