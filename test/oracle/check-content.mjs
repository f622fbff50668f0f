import { isVisible, messageStream, partsOfStream, systemStream, wellFormed } from './body-stream.mjs';
import { expectedBlocks, isSendable, matches, matchesResult } from './expected-blocks.mjs';
import { nameDifferences } from './name-differences.mjs';
import { setNotesAside } from './set-notes-aside.mjs';

/** A digest shows user lines; this much of one is looked for. */
const digestCharacters = 12;

/**
 * Holds a body against the messages before its call: each stands in it at its place and once, as its verdict says, or
 * lies in the range of a summary that stands in front; the user's last message stands in it in any case; and nothing
 * stands in it that no message, no layer and no note gave.
 *
 * @param {{ body: object, manifest: object, messages: object[], before: number,
 *   followed: import('./follow-entries.mjs').Followed }} request
 * @returns {{ kind: string, what: string }[]}
 */
export function checkContent({ body, manifest, messages, before, followed }) {
  const { shown, covered } = followed;
  const lastUser = lastUserMessage(messages, before);
  const { blocks, results, opensWithUser } = expectedBlocks(shown, messages);
  const { stable, volatile } = partsOfStream(messageStream(body));
  const isOther = ({ block }) => block.type !== 'tool_result';
  const { rest, problems } = setNotesAside(stable.filter(isOther), manifest.notes);
  const compared = { stable: rest, volatile: volatile.filter(isOther) };
  const aligned = alignFromEnd(blocks, compared);
  const extraLayers = manifest.layers.length - (body.system ?? []).length;
  const frontLayers = extraLayers - compared.volatile.length;
  // Where nothing stands in front of the assistant, one text opens the conversation, which providers demand.
  const room = frontLayers <= 0 && !opensWithUser ? 1 : frontLayers;
  const found = [
    ...problems,
    ...checkLastUser({ shown, messages, lastUser }),
    ...checkSystem({ messages, before, followed, body }),
    ...checkVolatile({ ...compared, extraLayers, messages, before }),
  ];
  if (found.some(({ kind }) => kind === 'user-message')) return found;
  const isWrong = aligned.front === null || aligned.front.length > room || aligned.front.some(isNoLayer);
  if (isWrong) return [...found, ...nameDifferences({ blocks, ...compared, shown, messages, lastUser, room })];
  return [
    ...found,
    ...checkDuplicates(aligned.front, { messages, before }),
    ...checkDigest({ covered, front: aligned.front, manifest, messages }),
    ...checkResults({ body, pairs: aligned.pairs, results, messages, lastUser }),
  ];
}

/**
 * Matches what must be there with what is, from the end. `front` is what is left at the beginning; `null` when
 * something does not match.
 */
function alignFromEnd(expected, { stable }) {
  const pairs = [];
  let position = stable.length - 1;
  for (const wanted of expected.toReversed()) {
    const actual = stable[position];
    if (actual !== undefined && matches(wanted, actual)) {
      pairs.push({ wanted, actual });
      position -= 1;
    } else if (!wanted.optional) return { front: null, pairs };
  }
  return { front: stable.slice(0, position + 1), pairs };
}

function isNoLayer({ role, block }) {
  return role !== 'user' || block.type !== 'text';
}

/**
 * Index of the last message of the user; -1 for none. What a tool answers in the user's place counts, for it is what the
 * model answers; what is meta does not.
 */
function lastUserMessage(messages, before) {
  const spoken = messages.slice(0, before);
  return spoken.findLastIndex(({ role, meta, blocks }) => role === 'user' && meta !== true && blocks.some(isSendable));
}

function checkLastUser({ shown, messages, lastUser }) {
  if (lastUser === -1) return [];
  const entry = shown.find(({ index }) => index === lastUser)?.entry;
  if (entry !== undefined && ['kept', 'edited', 'parked'].includes(entry.kind)) return [];
  const what = `the last one, ${messages[lastUser].where}, is ${entry?.kind ?? 'summarised'}`;
  return [{ kind: 'user-message', what }];
}

/** System messages stand in the system prompt as long as the conversation lasts: no summary stands for them. */
function checkSystem({ messages, before, followed, body }) {
  const text = systemStream(body)
    .map(({ block }) => block.text)
    .join('\n');
  const dropped = new Set(followed.shown.filter(({ entry }) => entry.kind === 'dropped').map(({ index }) => index));
  return messages.slice(0, before).flatMap(({ role, blocks, where }, index) => {
    if (role !== 'system' || dropped.has(index) || !isVisible(blocks[0].text)) return [];
    if (text.includes(wellFormed(blocks[0].text))) return [];
    return [{ kind: 'system-lost', what: `${where} is not in the system prompt` }];
  });
}

/** Behind the last cache mark stand layers alone, at the end of the user's side. */
function checkVolatile({ volatile, extraLayers, messages, before }) {
  const found = volatile.filter(isNoLayer).map(() => ({ kind: 'mark', what: 'content behind the last cache mark' }));
  if (volatile.length > extraLayers) found.push({ kind: 'mark', what: 'more behind the last cache mark than layers' });
  return found.length > 0 ? found : checkDuplicates(volatile, { messages, before });
}

function checkDuplicates(layers, { messages, before }) {
  const said = messages.slice(0, before).flatMap(({ blocks, where }) => blocks.map((block) => ({ block, where })));
  return layers.flatMap(({ block }) => {
    const same = said.find((one) => one.block.type === 'text' && wellFormed(one.block.text) === block.text);
    return same === undefined ? [] : [{ kind: 'duplicate', what: `${same.where} stands in the body once more` }];
  });
}

/** Where messages are covered, their summary stands in front, and shows what the user said. */
function checkDigest({ covered, front, manifest, messages }) {
  const sendable = covered.filter((index) => messages[index].role !== 'system');
  if (sendable.length === 0) return [];
  const layer = manifest.layers.find(({ id }) => id === 'summary');
  if (layer === undefined || front.length === 0) {
    return [{ kind: 'digest', what: `${sendable.length} messages are summarised, but no summary is in the body` }];
  }
  const text = bare(front.map(({ block }) => block.text).join('\n'));
  const lines = sendable
    .filter((index) => isOfUser(messages[index]))
    .flatMap((index) => messages[index].blocks.filter((block) => block.type === 'text'))
    .map((block) => bare(wellFormed(block.text)).slice(0, digestCharacters))
    .filter((line) => line.length === digestCharacters);
  if (lines.length === 0 || lines.some((line) => text.includes(line))) return [];
  return [{ kind: 'digest', what: 'the summary shows nothing that the user said' }];
}

/** True for the user's own words: a summary need not show what tools said in the user's place. */
function isOfUser({ role, meta, observed }) {
  return role === 'user' && meta !== true && observed !== true;
}

/** Letters and digits alone: a summary may put the rest in another way. */
function bare(text) {
  return text.replace(/[^\p{L}\p{N}]+/gu, '');
}

/** Each call has the result that the source gives it; one without a result has any. */
function checkResults({ body, pairs, results, messages }) {
  const answers = body.messages.flatMap(({ content }) => content.filter((block) => block.type === 'tool_result'));
  const byId = new Map(answers.map((block) => [block.tool_use_id, block]));
  return pairs.flatMap(({ wanted, actual }) => {
    const expected = wanted.source.type === 'call' ? results.get(wanted.source) : null;
    if (expected === null || expected === undefined) return [];
    if (matchesResult(expected, byId.get(actual.block.id))) return [];
    const what = `the result of ${actual.block.name} (${messages[expected.index].where}, ${expected.verdict})`;
    return [{ kind: 'changed', what: `${what} is another than in the source` }];
  });
}
