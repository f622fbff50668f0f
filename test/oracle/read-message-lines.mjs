import { anthropicItem, formOf } from './read-anthropic.mjs';
import { openAiItem } from './read-openai.mjs';

/**
 * One conversation out of lines of which each is a message: of OpenAI, of Anthropic, or flat ones, in which a line of a
 * tool has the call and its result.
 *
 * @returns {{ format: string, items: import('./read-source.mjs').SourceItem[] }}
 */
export function readMessageLines(lines) {
  const spoken = lines.filter(({ value }) => typeof value.role === 'string');
  const decisive = spoken
    .map(({ value }) => (isToolLine(value) ? 'flat' : formOf(value)))
    .find((form) => form !== null);
  const form = decisive ?? (typeof spoken[0]?.value.timestamp === 'number' ? 'flat' : 'openai');
  const sources = spoken.map(({ line, value }) => ({ where: `line:${line}`, value }));
  if (form === 'anthropic') return { format: 'anthropic-messages', items: [anthropicItem(sources)] };
  if (form === 'openai') return { format: 'openai-messages', items: [openAiItem(sources)] };
  return { format: 'flat-lines', items: [flatItem(sources)] };
}

function isToolLine({ role, name, output, content }) {
  return role === 'tool' && typeof name === 'string' && output !== undefined && content === undefined;
}

/** The line of a tool is the model's call, then what came of it. */
function flatItem(sources) {
  const failed = new Set();
  const unfolded = sources.flatMap((source) => {
    const { where, value } = source;
    if (!isToolLine(value)) return [source];
    if (value.isError === true || value.is_error === true) failed.add(where);
    const call = { id: where, function: { name: value.name, arguments: value.input ?? {} } };
    return [
      { where, value: { role: 'assistant', tool_calls: [call] } },
      { where: `${where}.2`, value: { role: 'tool', tool_call_id: where, content: textOf(value.output) } },
    ];
  });
  const { messages, calls } = openAiItem(unfolded);
  for (const block of messages.flatMap(({ blocks }) => blocks)) {
    if (block.type === 'result' && failed.has(block.id)) block.failed = true;
  }
  return { messages, calls };
}

function textOf(output) {
  if (output === null) return '';
  return typeof output === 'string' ? output : JSON.stringify(output);
}
