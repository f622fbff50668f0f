import { isVisible, wellFormed } from './body-stream.mjs';

/** Verdicts with which the content of a message still stands in the body. */
const presentKinds = ['kept', 'edited', 'cleared', 'parked'];

/** Rules of edits that move or mark a message and change none of its words. */
const pairRules = ['orphan-result', 'duplicate-call-id'];

/** How much of the beginning and the end of a parked text must still be there. */
const parkedCharacters = 40;

/** What stands in the place of an image that cannot be sent, and in front of a result that answers no call. */
const placeholder = /^\[.*\]$/s;

/**
 * A block that must stand in the body. `index` is the message of the source, `verdict` what the manifest says of it.
 *
 * @typedef {{ role: string, index: number, verdict: string, source: object, optional: boolean }} Expected
 */

/**
 * What must stand in the body for the messages that are shown: all their blocks in order, without the results of
 * tools, which stand where their calls are; and for each call its result.
 *
 * @returns {{ blocks: Expected[], results: Map<object, { index: number, verdict: string, source: object } | null>,
 *   opensWithUser: boolean }} Results by the block of their call; `null` when no shown message holds one.
 */
export function expectedBlocks(shown, messages) {
  const spoken = shown.filter(({ index }) => messages[index].role !== 'system');
  const present = spoken.filter(({ entry }) => presentKinds.includes(entry.kind));
  // Pairs are closed over all that is shown, before anything is left out.
  const { results, callsOfResults } = pairResults(spoken, messages);
  const indexes = new Set(present.map(({ index }) => index));
  const blocks = present.flatMap(({ index, entry }) => {
    const message = messages[index];
    const base = { index, verdict: strictVerdict(entry) };
    if (message.role === 'tool') {
      const alone = message.blocks.filter((block) => !indexes.has(callsOfResults.get(block)));
      return alone.flatMap(orphanBlocks).map((block) => ({ ...base, role: 'user', ...block }));
    }
    const sendable = message.blocks.filter(isSendable);
    return sendable.map((source, position) => {
      const isLast = position === sendable.length - 1;
      const optional = source.type === 'thinking' && (source.required !== true || isLast);
      return { ...base, role: message.role, source, optional };
    });
  });
  const opener = messages[present[0]?.index]?.role ?? 'assistant';
  return { blocks, results, opensWithUser: opener !== 'assistant' && blocks[0]?.role === 'user' };
}

/** True when something of the block can be sent. */
export function isSendable(block) {
  return block.type !== 'text' || isVisible(block.text);
}

/**
 * Gives each call the result that answers it: the first with its id behind it, as long as no later message uses the id
 * again, else, if none came behind it, one that came since the message before.
 *
 * @returns {{ results: Map<object, object | null>, callsOfResults: Map<object, number> }} `callsOfResults` has, by the
 *   block of a result, the index of the message that called; nothing for one that answers no call.
 */
function pairResults(spoken, messages) {
  const results = new Map();
  const callsOfResults = new Map();
  const newest = new Map();
  const early = [];
  let waiting = [];
  const claim = ({ calls, index }, answer) => {
    const call = calls.find((one) => one.id === answer.source.id && results.get(one) === null);
    if (call === undefined) return false;
    results.set(call, answer);
    callsOfResults.set(answer.source, index);
    return true;
  };
  for (const { index, entry } of spoken) {
    const { role, blocks } = messages[index];
    const asked = { calls: blocks.filter(({ type }) => type === 'call'), index };
    for (const call of asked.calls) {
      results.set(call, null);
      newest.set(call.id, asked);
    }
    if (role === 'assistant') {
      early.push(...waiting.map((answer) => ({ asked, answer })));
      waiting = [];
    }
    for (const source of blocks.filter(({ type }) => type === 'result')) {
      const answer = { index, verdict: strictVerdict(entry), source };
      if (!claim(newest.get(source.id) ?? { calls: [], index }, answer)) waiting.push(answer);
    }
  }
  for (const { asked, answer } of early) claim(asked, answer);
  return { results, callsOfResults };
}

/** What closing pairs did to an entry changes none of its words. */
function strictVerdict({ kind, rule }) {
  return kind === 'edited' && pairRules.includes(rule) ? 'kept' : kind;
}

/** A result without a call is told to the user's side: a note that says so, then what the tool said. */
function orphanBlocks({ texts, media }) {
  const said = texts.filter(isVisible);
  const text = { type: 'text', text: texts.join('\n'), all: said };
  const sources = said.length + media > 0 ? [{ type: 'note' }, text] : [{ type: 'note' }];
  return sources.map((source) => ({ source, optional: false }));
}

/**
 * True when the block of the body is what the source says, or what its verdict allows. A body must not end in white
 * space of the assistant, so its last block may be without.
 */
export function matches({ role, verdict, source }, actual) {
  const { block } = actual;
  if (actual.role !== role) return false;
  if (actual.isLast && role === 'assistant' && source.type === 'text') {
    return (
      block.type === 'text' && matchesText({ verdict, source: { ...source, text: source.text.trimEnd() } }, block.text)
    );
  }
  if (source.type === 'call') {
    return (
      block.type === 'tool_use' && block.name === acceptedName(source.name) && sameInput(source.input, block.input)
    );
  }
  if (source.type === 'thinking') return block.thinking === wellFormed(source.text) || block.data === source.text;
  if (source.type === 'note') return isPlaceholder(block);
  if (source.type === 'media') return block.type === 'image' || block.type === 'document' || isPlaceholder(block);
  return block.type === 'text' && matchesText({ verdict, source }, block.text);
}

function isPlaceholder({ type, text }) {
  return type === 'text' && placeholder.test(text);
}

function matchesText({ verdict, source }, text) {
  const wanted = wellFormed(source.text);
  if (source.all === undefined ? text === wanted : source.all.every((part) => text.includes(wellFormed(part))))
    return true;
  return allowsText({ verdict, wanted }, text);
}

/** What a verdict other than `kept` allows: any text, but of a parked one the beginning and the end. */
function allowsText({ verdict, wanted }, text) {
  if (verdict === 'kept' || !isVisible(text)) return false;
  if (verdict !== 'parked') return true;
  return text.startsWith(wanted.slice(0, parkedCharacters)) && text.endsWith(wanted.slice(-parkedCharacters));
}

/** True when the result in the body is that of the source, or what its verdict allows. */
export function matchesResult({ verdict, source }, { content, is_error }) {
  const list = typeof content === 'string' ? [content] : content.map((block) => block.text ?? '');
  const [text, wanted] = [list, source.texts].map((texts) => compared(texts.map(wellFormed), source));
  if (source.media > 0) return source.texts.every((one) => text.includes(compared([wellFormed(one)], source)));
  if (wanted === '') return verdict === 'kept' ? source.failed || !isVisible(text) : true;
  if (!presentKinds.includes(verdict)) return text !== wanted;
  if (text === wanted) return source.failed === (is_error === true);
  return allowsText({ verdict, wanted }, text);
}

/** One text is compared as it is; several are joined in more than one way, so spaces do not count. */
function compared(texts, source) {
  if (source.texts.length === 1 && source.media === 0) return texts.join('\n');
  return texts.join(' ').replace(/\s+/g, ' ').trim();
}

function acceptedName(name) {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 128) || 'unnamed';
}

/** Input that is no object stands in one. */
function sameInput(wanted, actual) {
  const text = JSON.stringify(wanted);
  if (typeof wanted === 'object' && wanted !== null && !Array.isArray(wanted)) {
    return JSON.stringify(actual) === text || JSON.stringify(actual) === JSON.stringify(wanted, wellFormedString);
  }
  return Object.values(actual).some((value) => JSON.stringify(value) === text);
}

function wellFormedString(_key, value) {
  return typeof value === 'string' ? wellFormed(value) : value;
}
