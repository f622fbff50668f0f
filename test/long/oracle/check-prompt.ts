import { isDeepStrictEqual } from 'node:util';
import { checkNotes, messageOfNote, type NotePlaces } from './check-notes.ts';
import { countMessage, countText, sum } from './count-tokens.ts';
import type { Observation, SeenEntry, SeenMessage, SeenPrompt, Violation } from './observation.ts';
import { foldBefore, type OwnFold, type OwnJournal } from './own-fold.ts';
import { isSpoken, type OwnThread, threadOf } from './own-thread.ts';
import { shownAs } from './shown-text.ts';

/** Notes a rule that was broken. */
export type Report = (rule: Violation['rule'], what: string) => void;

/** The first message of a conversation that would begin with the assistant, or be empty. */
const lead: SeenMessage = { role: 'user', content: '[The beginning of this conversation is not shown.]' };

/** A prompt and what it is held against. */
interface PromptCase {
  readonly prompt: SeenPrompt;
  readonly fold: OwnFold;
  readonly thread: OwnThread;
  readonly layerTexts: Observation['layerTexts'];
  readonly report: Report;
}

/** Holds a prompt against the journal as it was when the prompt was made. Returns the seq of its request, 0 if none. */
export function checkPrompt(
  prompt: SeenPrompt,
  facts: {
    readonly journal: OwnJournal;
    readonly request: SeenEntry;
    readonly layerTexts: Observation['layerTexts'];
    readonly report: Report;
  },
): OwnFold {
  const { journal, request, layerTexts, report } = facts;
  const following = journal.entries.slice(request.seq);
  const end = following.findIndex((entry) => entry.type !== 'edit');
  const more = following.slice(0, end === -1 ? following.length : end);
  const { seq, model = '' } = request;
  const fold = foldBefore(journal, { seq, model, more });
  const one: PromptCase = { prompt, fold, thread: threadOf(fold), layerTexts, report };
  checkPairs(one);
  checkVerdictsExist(one, journal.entries.slice(0, seq - 1));
  const notes = checkNotes(prompt, { journal, request, fold, thread: one.thread, report });
  checkItems(one, { items: checkLayers(one), notes });
  const counted = sum(prompt.messages.map(countMessage)) + sum(prompt.system.map(({ text }) => 4 + countText(text)));
  if (counted !== prompt.tokens) report('tokens', `it says ${prompt.tokens} tokens, and has ${counted}`);
  const { layers, entries, notes: noted, madeUpTokens } = prompt.manifest;
  const added = sum([...layers, ...entries, ...noted].map(({ tokens }) => tokens)) + madeUpTokens;
  if (added !== prompt.tokens) report('tokens', `the manifest adds up to ${added} of ${prompt.tokens} tokens`);
  return fold;
}

/** Every call is followed by its results, and every result follows its call. */
function checkPairs({ prompt, report }: PromptCase): void {
  const seen = new Set<string>();
  let open = new Set<string>();
  for (const [index, { role, content }] of prompt.messages.entries()) {
    if (role !== 'tool' && open.size > 0) report('pairing', `message ${index}: no result of ${[...open]} before it`);
    if (content.length === 0) report('pairing', `message ${index} is empty`);
    if (role !== 'tool') open = new Set();
    if (typeof content === 'string') continue;
    for (const { type, toolCallId = '' } of content) {
      if (type === 'tool-call' && seen.has(toolCallId)) report('pairing', `two calls have the id ${toolCallId}`);
      if (type === 'tool-call') open.add(toolCallId) && seen.add(toolCallId);
      if (type === 'tool-result' && !open.delete(toolCallId)) report('pairing', `no call for result ${toolCallId}`);
    }
  }
  if (open.size > 0) report('pairing', `no result of ${[...open]} at the end`);
  const first = prompt.messages[0]?.role;
  if (first !== 'user') report('pairing', `the first message is ${first ?? 'missing'}`);
}

/** One verdict for each visible message, and one range for each other one, of the right kind. */
function checkVerdictsExist({ prompt, fold, report }: PromptCase, before: readonly SeenEntry[]): void {
  const { entries, ranges } = prompt.manifest;
  const wanted = fold.visible.map(({ seq }) => seq);
  const given = entries.map(({ seq }) => seq);
  if (!isDeepStrictEqual(given, wanted)) report('accounting', `verdicts for ${given}, visible are ${wanted}`);
  const visible = new Set(wanted);
  for (const { seq, type } of before) {
    if (type !== 'message' || visible.has(seq)) continue;
    const kinds = ranges.filter(({ fromSeq, toSeq }) => fromSeq <= seq && seq <= toSeq).map(({ kind }) => kind);
    const kind = fold.path.has(seq) ? 'summarised' : 'off-path';
    if (!isDeepStrictEqual(kinds, [kind])) report('accounting', `#${seq} is ${kind}, ranges say ${kinds}`);
  }
}

/** Holds the texts of layers against their sources; what is left is the conversation. */
function checkLayers(one: PromptCase): readonly SeenMessage[] {
  const { prompt, fold, report } = one;
  const { layers } = prompt.manifest;
  const at = (place: string) => layers.filter((layer) => layer.place === place);
  const [above, before, behind] = [at('system'), at('summary'), at('volatile')];
  if (above.length !== prompt.system.length) report('accounting', `${above.length} system layers, not as many blocks`);
  for (const [index, layer] of above.entries()) {
    const block = prompt.system[index];
    if (block?.layer !== layer.id) report('accounting', `block ${index} is no layer ${layer.id}`);
    checkLayer(one, layer, block?.text);
  }
  const { messages, marks } = prompt;
  const end = messages.length - behind.length;
  if (marks.afterStable !== end || marks.afterSystem !== prompt.system.length) report('prefix', 'marks are elsewhere');
  for (const [index, layer] of before.entries()) checkLayer(one, layer, messages[index]?.content);
  for (const [index, layer] of behind.entries()) checkLayer(one, layer, messages[end + index]?.content);
  const ids = layers.map(({ id }) => id);
  if (ids.includes('summary') !== (fold.compaction !== null)) report('accounting', 'a summary, or none, unexpectedly');
  if (ids.includes('state') !== fold.state.size > 0) report('accounting', 'a state layer, or none, unexpectedly');
  const systems = fold.visible.filter(({ message }) => message?.role === 'system' && message.content !== '');
  if (systems.length > 0 && !ids.includes('system')) report('accounting', 'the system messages are gone');
  return messages.slice(before.length, end);
}

function checkLayer(
  { fold, layerTexts, report }: PromptCase,
  { id, tokens }: { readonly id: string; readonly tokens: number },
  text: unknown,
): void {
  if (typeof text !== 'string') {
    report('accounting', `layer ${id} is not in the prompt`);
    return;
  }
  if (tokens !== 4 + countText(text)) report('tokens', `layer ${id} says ${tokens} tokens, has ${4 + countText(text)}`);
  if (id === 'summary') return;
  const systems = fold.visible.flatMap(({ message }) => (message?.role === 'system' ? [message.content] : []));
  const slots = [...fold.state].sort(([a], [b]) => (a < b ? -1 : 1)).map(([slot, value]) => `${slot}: ${value}`);
  const own = { system: [systems.join('\n\n')], state: [['# State', ...slots].join('\n\n')] }[id];
  const allowed = own ?? layerTexts[id] ?? [];
  if (!allowed.includes(text)) report('accounting', `nothing accounts for the text of layer ${id}`);
}

/** Walks along the conversation as it must be, notes included; what is left out must have a verdict that says so. */
function checkItems(
  one: PromptCase,
  { items, notes }: { readonly items: readonly SeenMessage[]; readonly notes: NotePlaces },
): void {
  const { prompt, thread, fold, report } = one;
  const verdicts = new Map(prompt.manifest.entries.map((entry) => [entry.seq, entry]));
  const tokens = new Map<number, number>();
  const hasSummary = prompt.manifest.layers.some(({ place }) => place === 'summary');
  const gone = new Set<number>();
  let next = !hasSummary && isDeepStrictEqual(items[0], lead) ? 1 : 0;
  let madeUp = next === 1 ? countMessage(lead) : 0;
  const passNotes = (place: number): void => {
    for (const note of notes.get(place) ?? []) {
      if (isDeepStrictEqual(items[next], messageOfNote(note))) next += 1;
      else report('note', `"${note.id}" of ${note.by} does not stand behind #${note.afterSeq}`);
    }
  };
  passNotes(0);
  for (const [index, own] of thread.messages.entries()) {
    const { entry, group } = own;
    const verdict = entry === null ? undefined : verdicts.get(entry.seq);
    const item = items[next];
    const isGone = gone.has(group) || (verdict?.kind === 'dropped' && verdict.tokens === 0);
    const mismatch = isGone ? 'left out' : shownAs(item, own, { verdict, thread, index });
    if (mismatch === null && item !== undefined) {
      next += 1;
      if (entry === null) madeUp += countMessage(item);
      else tokens.set(entry.seq, (tokens.get(entry.seq) ?? 0) + countMessage(item));
    } else {
      gone.add(group);
      if (index >= thread.liveFrom) report('live', `#${entry?.seq ?? '?'} of the running turn: ${mismatch}`);
      else if (verdict !== undefined && verdict.kind !== 'dropped') {
        report('accounting', `#${entry?.seq} is ${verdict.kind} (${verdict.rule ?? ''}): ${mismatch}`);
      }
    }
    passNotes(index + 1);
  }
  if (next < items.length) {
    report('accounting', `message ${next} of the conversation: ${JSON.stringify(items[next]).slice(0, 120)}`);
  }
  if (madeUp !== prompt.manifest.madeUpTokens) report('tokens', `${madeUp} tokens are made up, not as many are said`);
  for (const entry of fold.visible) checkVerdict(one, { entry, tokens: tokens.get(entry.seq) ?? 0 });
  checkQuestion(one, tokens);
}

function checkVerdict(one: PromptCase, shown: { readonly entry: SeenEntry; readonly tokens: number }): void {
  const { prompt, thread, fold, report } = one;
  const { entry, tokens } = shown;
  const { seq } = entry;
  const verdict = prompt.manifest.entries.find((given) => given.seq === seq);
  if (verdict === undefined) return;
  if (verdict.tokens !== tokens) report('tokens', `#${seq} says ${verdict.tokens} tokens, has ${tokens}`);
  if (entry.message?.role === 'system') return;
  const { kind, rule } = verdict;
  if (kind === 'kept' && fold.edits.has(entry.id)) report('accounting', `#${seq} is kept, but edited`);
  if (kind === 'kept' && tokens === 0) report('accounting', `#${seq} is kept, but not there`);
  if ((rule === 'empty-message') !== thread.empty.has(seq)) report('accounting', `#${seq} is ${kind} by ${rule}`);
  if ((rule === 'unfinished-answer') !== thread.unfinished.has(seq))
    report('accounting', `#${seq} is ${kind} by ${rule}`);
  if (rule === 'not-in-draft') report('accounting', `#${seq} is nowhere, and no rule says why`);
}

/** What the person asked last is never left out, nor hidden in a summary. */
function checkQuestion({ prompt, fold, report }: PromptCase, tokens: ReadonlyMap<number, number>): void {
  const said = fold.visible.filter(isSpoken).at(-1);
  if (said !== undefined && (tokens.get(said.seq) ?? 0) === 0) report('live', `#${said.seq}, the question, is gone`);
  if (said === undefined && prompt.messages.length === 0) report('live', 'it is empty');
}
