import { wellFormed } from './body-stream.mjs';
import { isSendable, matches } from './expected-blocks.mjs';

/**
 * Says what is wrong with a body that does not hold its messages in order: what is lost, changed, there twice, shown
 * although dropped, of unknown origin, behind the cache mark, or only in another order.
 *
 * @returns {{ kind: string, what: string }[]}
 */
export function nameDifferences({ blocks, stable, volatile, shown, messages, lastUser, room }) {
  const { missing, extras } = differenceOf(blocks, stable);
  const unexplained = withoutLayers(extras, { stable, blocks, room });
  const found = [];
  for (const wanted of missing) {
    const { where, role } = messages[wanted.index];
    const text = `${where} (${role}, ${wanted.verdict}, ${wanted.source.type})`;
    if (volatile.some((actual) => matches(wanted, actual))) {
      found.push({ kind: 'mark', what: `${text} stands behind the last cache mark` });
      continue;
    }
    const instead = unexplained.findIndex(
      (actual) => isKin(wanted, actual) && originOf(actual, { shown, messages }) === null,
    );
    if (instead !== -1) unexplained.splice(instead, 1);
    if (wanted.index === lastUser)
      found.push({ kind: 'user-message', what: `the last one, ${text}, is not in the body` });
    else if (instead !== -1) found.push({ kind: 'changed', what: `${text} has another text than its verdict allows` });
    else found.push({ kind: 'lost', what: `${text} is not in the body` });
  }
  for (const actual of unexplained) found.push(nameExtra(actual, { shown, messages }));
  return found.length > 0 ? found : [{ kind: 'order', what: orderOf(blocks, { stable, messages }) }];
}

/** What must be there and is not, and what is there and need not be, whatever the order. */
function differenceOf(blocks, stable) {
  let extras = [...stable];
  const take = (wanted) => {
    const position = extras.findLastIndex((actual) => matches(wanted, actual));
    if (position !== -1) extras = extras.toSpliced(position, 1);
    return position !== -1;
  };
  const isExact = ({ verdict, source }) =>
    verdict === 'kept' && source.type !== 'media' && source.type !== 'note' && source.all === undefined;
  const exact = blocks.filter((wanted) => isExact(wanted) && !wanted.optional);
  const others = blocks.filter((wanted) => !isExact(wanted) && !wanted.optional);
  const missing = [...exact, ...others].filter((wanted) => !take(wanted));
  for (const wanted of blocks) if (wanted.optional) take(wanted);
  return { missing, extras };
}

/** Layers may stand before the first block of a message. */
function withoutLayers(extras, { stable, blocks, room }) {
  const told = blocks.filter(({ source }) => source.type !== 'note');
  const first = stable.findIndex((actual) => told.some((wanted) => matches(wanted, actual)));
  const front = new Set(stable.slice(0, first === -1 ? stable.length : first).slice(0, Math.max(0, room)));
  return extras.filter((actual) => !front.has(actual) || actual.role !== 'user' || actual.block.type !== 'text');
}

function isKin({ role, source }, actual) {
  const type = { text: 'text', call: 'tool_use', thinking: 'thinking', media: 'image' }[source.type];
  return actual.role === role && actual.block.type === type;
}

/** The shown message that a block belongs to, with its verdict; `null` for none. */
function originOf(actual, { shown, messages }) {
  const origins = shown.filter(({ index }) => {
    const { role, blocks } = messages[index];
    return blocks.filter(isSendable).some((source) => {
      if (source.all !== undefined) return false;
      if (source.type === 'text') return actual.role === role && actual.block.text === wellFormed(source.text);
      return source.type === 'call' && matches({ role, verdict: 'kept', source }, actual);
    });
  });
  return origins.find(({ entry }) => entry.kind === 'dropped') ?? origins[0] ?? null;
}

function nameExtra(actual, { shown, messages }) {
  const origin = originOf(actual, { shown, messages });
  if (origin === null) {
    return {
      kind: 'foreign',
      what: `a ${actual.block.type} of ${actual.role} in message ${actual.message + 1} has no source`,
    };
  }
  const { where } = messages[origin.index];
  if (origin.entry.kind === 'dropped') return { kind: 'dropped-shown', what: `${where} is dropped, but in the body` };
  return { kind: 'duplicate', what: `${where} stands in the body once more` };
}

function orderOf(blocks, { stable, messages }) {
  let position = stable.length - 1;
  const wrong = blocks.toReversed().find((wanted) => {
    const fits = stable[position] !== undefined && matches(wanted, stable[position]);
    if (fits) position -= 1;
    return !fits && !wanted.optional;
  });
  return wrong === undefined
    ? 'something stands between the messages'
    : `${messages[wrong.index].where} is not at its place`;
}
