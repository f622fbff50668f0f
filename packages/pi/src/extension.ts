import { askWithList, followMessageList } from '@varve/adapters/message-list';
import { fromPi, type ListedPiMessage, type PiMessage, toPi } from '@varve/adapters/pi';
import type { Session } from '@varve/core';
import { compactForPi, type PiCompactEvent, type PiCompactResult } from './compact-for-pi.ts';
import { type Conversation, createConversations } from './conversations.ts';
import { type HostRequest, hostRequest, type ModelRequest, withShare } from './host-request.ts';
import { messagesOfBranch } from './messages-of-branch.ts';
import type { PiApi, PiContext } from './pi-api.ts';
import type { PiOptions } from './pi-options.ts';
import { toPiTool } from './to-pi-tool.ts';
import { answerVarve } from './varve-command.ts';

/** What the extension does when pi calls. */
export interface Extension {
  begin(context: PiContext): Promise<void>;
  /** Brings the journal to where pi's session is. */
  catchUp(context: PiContext): Promise<void>;
  extendSystem(systemPrompt: string, context: PiContext): Promise<{ readonly systemPrompt: string } | undefined>;
  assemble(messages: readonly PiMessage[], context: PiContext): Promise<{ readonly messages: PiMessage[] } | undefined>;
  compact(event: PiCompactEvent, context: PiContext): Promise<PiCompactResult>;
  answer(words: string, context: PiContext): Promise<void>;
  end(): Promise<void>;
}

/** Makes the extension for one instance of pi. Without a model, nothing is done. */
export function createExtension(pi: PiApi, options: PiOptions): Extension {
  const conversations = createConversations(options);
  const isOurs = options.compaction !== 'pi';
  const summaries = isOurs ? 'skip' : 'take';
  const catchUp = async (context: PiContext): Promise<Conversation> => {
    const conversation = await conversations.of(context);
    const said = messagesOfBranch(context.sessionManager, { asCompacted: !isOurs });
    // A branch is told from its root on: what it does not have was taken back.
    await followMessageList(conversation.session, fromPi(said, { summaries }), { onShorter: 'follow' });
    return conversation;
  };
  const asked = async (context: PiContext): Promise<Asked | null> => {
    if (context.model === undefined) return null;
    const conversation = await conversations.of(context);
    const { session, addedSystem } = conversation;
    return { conversation, session, request: hostRequest(pi, { context, model: context.model, addedSystem }) };
  };
  return {
    begin: async (context) => {
      const { session } = await catchUp(context);
      if (options.tools !== false) for (const tool of session.tools()) pi.registerTool?.(toPiTool(tool));
    },
    catchUp: async (context) => {
      await catchUp(context);
    },
    extendSystem: async (systemPrompt, context) => extendSystem(systemPrompt, await asked(context)),
    assemble: async (messages, context) => {
      const one = await asked(context);
      if (one === null) return undefined;
      const given = fromPi(messages, { summaries });
      const made = await (isOurs ? assembleOurs : assembleAsListed)(given, { ...one, signal: context.signal });
      return { messages: toPi(made, { given, model: context.model }) };
    },
    compact: async (event, context) => {
      const one = isOurs ? await asked(context) : null;
      return one === null ? undefined : compactForPi(one.session, event, withShare(one.request));
    },
    answer: async (words, context) => {
      const one = await asked(context);
      const text = one === null ? 'Choose a model first.' : await answerVarve(one.session, words, one.request);
      context.ui?.notify?.(text, 'info');
    },
    end: () => conversations.close(),
  };
}

/** What is asked of the open conversation. */
interface Asked {
  readonly conversation: Conversation;
  readonly session: Session;
  readonly request: HostRequest;
}

interface AskedForPrompt extends Asked {
  readonly signal: AbortSignal | undefined;
}

type PromptMessages = Awaited<ReturnType<Session['assemble']>>['messages'];

async function assembleOurs(
  given: readonly ListedPiMessage[],
  { session, request, signal }: AskedForPrompt,
): Promise<PromptMessages> {
  return askWithList(session, given, { ...request, signal, ask: async ({ prompt }) => prompt.messages });
}

/** Follows what pi has made of its list, and shortens nothing for good. */
async function assembleAsListed(
  given: readonly ListedPiMessage[],
  { session, request, signal }: AskedForPrompt,
): Promise<PromptMessages> {
  await followMessageList(session, given, { onShorter: 'follow', signal });
  const { messages } = await session.assemble({ ...withShare(request), signal });
  return messages;
}

/** The system prompt with what plugins put into it. */
async function extendSystem(
  systemPrompt: string,
  asked: Asked | null,
): Promise<{ readonly systemPrompt: string } | undefined> {
  if (asked === null) return undefined;
  const { conversation, session, request } = asked;
  const shared: ModelRequest = withShare({ ...request, system: [systemPrompt] });
  const { system } = await session.assemble({ ...shared, dryRun: true });
  conversation.addedSystem = system.map(({ text }) => `\n\n${text}`).join('');
  return system.length === 0 ? undefined : { systemPrompt: `${systemPrompt}${conversation.addedSystem}` };
}
