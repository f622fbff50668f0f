import { type Message, partsOfMessage } from '@varve/core';
import { sortedJson } from '../sorted-json.ts';
import { fromLangChain, roleOfLangChain } from './from-langchain.ts';
import type { LangChainFields, LangChainMessage } from './messages.ts';
import { langChainMessages } from './to-langchain.ts';

/** Makes messages that those of a host's list can stand beside. */
export interface MessageMaker {
  /** The messages that one of a prompt becomes: the host's own objects, where they say the same. */
  messagesOf(message: Message): readonly LangChainMessage[];
  /** A message of the host's own class for its kind, if it has shown one. */
  make(fields: LangChainFields): LangChainMessage;
}

type MessageClass = new (fields: object) => LangChainMessage;

/**
 * Takes the classes of messages from those that are there: nothing of LangChain is imported here, so which copy and
 * which version of it a message belongs to is what the host says.
 */
export function messageMaker(given: readonly LangChainMessage[], others: readonly unknown[] = []): MessageMaker {
  const classes = new Map<string, MessageClass>();
  for (const message of [...others, ...given]) {
    const { constructor: made } = (message ?? {}) as { readonly constructor?: unknown };
    if (typeof made !== 'function' || made === Object) continue;
    classes.set(roleOfLangChain(message, 'messages'), made as MessageClass);
  }
  const make = (fields: LangChainFields): LangChainMessage => {
    const known = classes.get(fields.type);
    return known === undefined ? fields : new known(fields);
  };
  const originals = originalsBySaid(given);
  return {
    make,
    messagesOf: (message) =>
      splitResults(message).flatMap((one): readonly LangChainMessage[] => {
        const same = originals.get(saidBy(one));
        const original = same !== undefined && same.length > 1 ? same.shift() : same?.[0];
        return original === undefined ? langChainMessages(one).map(make) : [original];
      }),
  };
}

function originalsBySaid(given: readonly LangChainMessage[]): ReadonlyMap<string, LangChainMessage[]> {
  const originals = new Map<string, LangChainMessage[]>();
  const read = fromLangChain(given);
  given.forEach((original, index) => {
    if (hasSlips(original)) return;
    const said = saidBy(read[index] as Message);
    const known = originals.get(said);
    if (known === undefined) originals.set(said, [original]);
    else known.push(original);
  });
  return originals;
}

/** Calls that could not be read have no results: some chat models send them all the same, and are refused. */
function hasSlips(message: LangChainMessage): boolean {
  const { invalid_tool_calls } = message as { readonly invalid_tool_calls?: unknown } & LangChainMessage;
  return Array.isArray(invalid_tool_calls) && invalid_tool_calls.length > 0;
}

/** All that a message says, reasoning included. */
function saidBy(message: Message): string {
  const parts = partsOfMessage(message).map(({ providerOptions: _options, ...said }) => said);
  return sortedJson([message.role, parts.filter((part) => part.type !== 'text' || part.text !== '')]);
}

function splitResults(message: Message): readonly Message[] {
  return message.role === 'tool' ? message.content.map((part) => ({ ...message, content: [part] })) : [message];
}
