import { deepFreeze } from './deep-freeze.ts';
import type { Message, MessagePart } from './message.ts';

/**
 * True for a result of a plugin's tool that brings back what was said or noted before (`PluginTool.recovers`). It is
 * known by the mark that core stored with it, so it is the same in a replay that has no such plugin.
 *
 * Strategies neither shorten nor clear it: the model would only ask for it again. It adds no facts to a ledger, since
 * what it shows has its own place. Like everything else it may be summarised, or parked where nothing else helps.
 */
export function isRecovered(part: MessagePart): boolean {
  if (part.type !== 'tool-result') return false;
  const { varve = {} } = part.providerOptions ?? {};
  const { recovered } = varve;
  return recovered === true;
}

/** The message with the results of those tools marked as recovered; the same message when it has none of them. */
export function markRecovered(message: Message, tools: ReadonlySet<string>): Message {
  if (message.role !== 'tool' || !message.content.some(({ toolName }) => tools.has(toolName))) return message;
  const content = message.content.map((part) => {
    if (!tools.has(part.toolName)) return part;
    const { providerOptions = {} } = part;
    const { varve = {} } = providerOptions;
    return { ...part, providerOptions: { ...providerOptions, varve: { ...varve, recovered: true } } };
  });
  return deepFreeze({ ...message, content });
}
