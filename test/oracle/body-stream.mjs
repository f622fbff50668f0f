/**
 * The blocks of a body in the order in which they are sent, each with its role and without its cache mark.
 *
 * @typedef {{ role: string, message: number, block: object, marked: boolean, isLast: boolean, key: string }} Placed
 */

/** @returns {Placed[]} The blocks of the system prompt. */
export function systemStream({ system = [] }) {
  return system.map((block) => placed(block, { role: 'system', message: -1 }));
}

/** @returns {Placed[]} The blocks of the messages. */
export function messageStream({ messages }) {
  const stream = messages.flatMap(({ role, content }, message) => {
    return content.map((block) => placed(block, { role, message }));
  });
  return stream.map((one, index) => (index === stream.length - 1 ? { ...one, isLast: true } : one));
}

function placed(block, { role, message }) {
  const { cache_control, ...bare } = block;
  return {
    role,
    message,
    block: bare,
    marked: cache_control !== undefined,
    isLast: false,
    key: `${role} ${JSON.stringify(bare)}`,
  };
}

/**
 * Parts the blocks of the messages at the last cache mark: what stands behind it changes with every request. Without a
 * mark, all of it should be stable.
 *
 * @returns {{ stable: Placed[], volatile: Placed[] }}
 */
export function partsOfStream(stream) {
  const mark = stream.findLastIndex(({ marked }) => marked);
  const end = mark === -1 ? stream.length : mark + 1;
  return { stable: stream.slice(0, end), volatile: stream.slice(end) };
}

/** A text as providers take it: without halves of surrogate pairs. */
export function wellFormed(text) {
  return text.toWellFormed();
}

/** True when the text has something that can be seen: providers refuse blocks that have not. */
export function isVisible(text) {
  return text.trim() !== '';
}
